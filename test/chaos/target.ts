/** The world outside: serves pages, and counts calls by key, with the time of each. */
import http, { type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextRandom, seedFrom } from '../../src/engine/machine/state/random';
import { SECRET } from './programs';

export interface Target {
  readonly url: string;
  /** By key: when each call came, in milliseconds since 1970. */
  readonly calls: ReadonlyMap<string, readonly number[]>;
  /** Calls that came without what they should bring. */
  readonly wrong: readonly string[];
  close(): Promise<void>;
}

/** Every tenth page is refused once. */
const FLAKY = 0.1;
const SLOWEST_MS = 600;
const BLOCK = Buffer.alloc(1024 * 1024, 'x');

export async function startTarget(): Promise<Target> {
  const calls = new Map<string, number[]>();
  const refused = new Set<string>();
  const wrong: string[] = [];
  const draw = (key: string): number => nextRandom(seedFrom(key));

  async function call(request: IncomingMessage): Promise<unknown> {
    const { key } = JSON.parse(await text(request)) as { key: string };
    calls.set(key, [...(calls.get(key) ?? []), Date.now()]);
    if (key.includes('/secret/') && request.headers['x-secret'] !== SECRET) wrong.push(`${key}: no secret`);
    await sleep(draw(key) * SLOWEST_MS);
    return { key };
  }

  function page({ searchParams }: URL): unknown {
    const number = Number(searchParams.get('page'));
    const name = `${searchParams.get('label')}/${number}`;
    if (draw(name) < FLAKY && !refused.has(name)) {
      refused.add(name);
      return undefined;
    }
    return { page: number, more: number + 1 < Number(searchParams.get('of')) };
  }

  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://target');
    if (url.pathname === '/bytes') {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      Readable.from(blocks(Number(url.searchParams.get('mebibytes')))).pipe(response);
      return;
    }
    void Promise.resolve(url.pathname === '/pages' ? page(url) : call(request)).then((body) => {
      response.writeHead(body === undefined ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? { error: 'busy' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    wrong,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function* blocks(mebibytes: number): Generator<Buffer> {
  for (let count = 0; count < mebibytes; count++) yield BLOCK;
}

async function text(request: IncomingMessage): Promise<string> {
  let all = '';
  for await (const chunk of request.setEncoding('utf8')) all += String(chunk);
  return all;
}
