/**
 * What the tools of the matrix talk to: real servers where there are any, each as it is needed for an ending. Whatever
 * they are told they tell again.
 */
import fs from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { ensureEmbeddedPostgres } from '../../../src/server/store';
import { FakeEngine } from '../fake-engine';
import { needEmulator } from '../python-servers';
import { PLANTED } from './tool';

/** Secrets as the matrix uses them; ASCII for headers. */
export interface Canaries {
  readonly text: string;
  readonly ascii: string;
  readonly token: string;
  /** PEM. */
  readonly key: string;
  readonly pin: number;
}

export interface Services {
  readonly url: string;
  /** For DOCKER_HOST. */
  readonly docker: string;
  /** Stored credentials by name: type and data. */
  readonly credentials: Readonly<Record<string, readonly [type: string, data: Record<string, unknown>]>>;
  /** What the server over HTTP heard. */
  readonly heard: { readonly path: string; readonly text: string }[];
  /** The log of the Postgres that tasks use. */
  readonly postgresLog: string;
  /** What was held for a crash may end. */
  release(): void;
  stop(): Promise<void>;
}

/** @param go the file that programs of the ending `crash` wait for */
export async function startServices(canaries: Canaries, go: string): Promise<Services> {
  const cleanUp: (() => unknown)[] = [];
  let released = false;
  const held: (() => void)[] = [];
  const heard: { path: string; text: string }[] = [];
  const whenReleased = (run: () => void): void => void (released ? run() : held.push(run));

  const api = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const said = `${request.url} ${JSON.stringify(request.headers)} ${body}`;
      heard.push({ path: request.url!, text: said });
      const ending = request.url!.split(/[/?]/)[1];
      const echo = { path: request.url, headers: request.headers, body };
      const answer = (): void => {
        const failed = ending === 'failure' || ending === 'retry';
        const spoken = !failed && (mcpAnswer(body, echo) ?? modelAnswer(request.url!, echo));
        if (spoken === '') return void response.writeHead(202).end();
        response.writeHead(failed ? 500 : 200, {
          'content-type': 'application/json',
          'x-echo': encodeURIComponent(body),
        });
        const token = { access_token: canaries.token, token: canaries.token, expires_in: 600 };
        // As Vault answers; to others it would tell what it was not told.
        const vault = request.url!.includes('/secrets/') && { data: { data: { value: canaries.text } } };
        const rest = { ...echo, rows: [echo], ...vault };
        response.end(spoken || JSON.stringify(ending === 'token' ? token : rest));
      };
      if (ending === 'crash') whenReleased(answer);
      else if (ending !== 'timeout') answer();
    });
  });
  const url = await listening(api);
  cleanUp.push(() => (api.closeAllConnections(), api.close()));
  /** Refuses what it is told, quoting it, as no API that is well made would. */
  const refuser = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const message = `cannot take ${request.url} ${body}`;
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 400, message, errors: [{ message }] } }));
    });
  });
  const refusing = await listening(refuser);
  cleanUp.push(() => (refuser.closeAllConnections(), refuser.close()));

  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-canary-services-'));
  fs.chmodSync(folder, 0o755); // as root Postgres runs under its own user
  cleanUp.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  const config = path.join(folder, 'nats.conf');
  fs.writeFileSync(config, `authorization { timeout: 60, user: u, password: '${canaries.ascii}' }\n`);
  const [engine, bus, bucket, warehouse, postgres] = await Promise.all([
    FakeEngine.start(),
    needEmulator('nats', ['-c', config]),
    needEmulator('gcs'),
    needEmulator('snowflake'),
    ensureEmbeddedPostgres(folder, {}),
  ]);
  cleanUp.push(() => engine.stop(), ...[bus, bucket, warehouse, postgres].map((one) => () => one.stop()));
  obey(engine, (ending) => ending !== 'timeout' && (ending !== 'crash' || released));
  await fetch(`${bucket.url}/storage/v1/b?project=p`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'canary' }),
  });
  const roles = new Client({ connectionString: postgres.url });
  await roles.connect();
  await roles.query(
    `CREATE ROLE canary SUPERUSER LOGIN PASSWORD ${roles.escapeLiteral(canaries.text)}; CREATE TABLE kept (t text, n int)`,
  );
  await roles.query(`DO $$ BEGIN RAISE LOG '${PLANTED}'; END $$`);
  await roles.end();

  /** Three ways to a server: open, shut for good, and shut until the release. */
  const gates = async (target: string): Promise<Record<'open' | 'timeout' | 'crash', string>> => {
    const shut = await gate(Number(new URL(target).port), () => undefined);
    const later = await gate(Number(new URL(target).port), whenReleased);
    cleanUp.push(shut.close, later.close);
    const at = (port: number): string => target.replace(/:\d+$/, `:${port}`);
    return { open: target, timeout: at(shut.port), crash: at(later.port) };
  };
  const [busAt, bucketAt, warehouseAt] = await Promise.all(
    [bus, bucket, warehouse].map((one) => gates(one.url)),
  );
  const each = (
    name: string,
    type: string,
    at: Record<string, string>,
    data: (address: string) => Record<string, unknown>,
  ): [string, [string, Record<string, unknown>]][] =>
    Object.entries(at).map(([ending, address]) => [`${name}_${ending}`, [type, data(address)]]);
  const account = (access_url: string): Record<string, unknown> => ({
    sf_account: 'fake',
    sf_user: 'u',
    sf_database: 'DB1',
    sf_schema: 'S1',
    access_url,
  });
  const db = { ...postgres.data, db_user: 'canary' };
  const vaults = ['success', 'failure', 'timeout', 'crash', 'retry'].map((ending) => [
    ending,
    `${url}/${ending}/secrets`,
  ]);
  return {
    url,
    docker: `unix://${engine.socketPath}`,
    heard,
    postgresLog: path.join(folder, 'postgres', 'postgres.log'),
    credentials: {
      bearer: ['bearer', { token: canaries.ascii }],
      basic: ['basic', { username: 'user', password: canaries.text }],
      keyed: ['api_key', { header: 'x-key', value: canaries.ascii }],
      asked: ['api_key', { in: 'query', name: 'k', value: canaries.text }],
      blob: ['custom', { secret: canaries.text }],
      signing: ['custom', { key: canaries.key, pin: canaries.pin }],
      db: ['postgres', postgres.data],
      db_secret: ['postgres', { ...db, db_password: canaries.text }],
      db_refused: ['postgres', { ...db, db_password: `${canaries.text}x` }],
      ...Object.fromEntries([
        ...each('bus', 'nats', busAt!, (at) => ({
          nats_url: at,
          nats_user: 'u',
          nats_password: canaries.ascii,
        })),
        ...each('bucket', 'custom', bucketAt!, (endpoint) => ({ endpoint, project: 'p' })),
        ...each('warehouse', 'snowflake', warehouseAt!, (at) => ({
          ...account(at),
          sf_password: canaries.text,
        })),
        ...each('vault', 'custom', Object.fromEntries(vaults) as Record<string, string>, (address) => ({
          address,
          token: canaries.ascii,
        })),
      ]),
      bus_refused: ['nats', { nats_url: bus.url, nats_user: 'u', nats_password: `${canaries.ascii}x` }],
      bucket_refused: ['custom', { endpoint: refusing, project: 'p' }],
      bucket_account: [
        'gcs',
        { endpoint: bucket.url, service_account_json: { client_email: 'a@b', private_key: canaries.text } },
      ],
      warehouse_refused: ['snowflake', { ...account(warehouse.url), sf_token: canaries.ascii }],
      registry: ['custom', { username: 'u', password: canaries.text, serveraddress: 'registry.test' }],
    },
    release() {
      released = true;
      fs.writeFileSync(go, '');
      for (const run of held.splice(0)) run();
      for (const container of engine.containers.values())
        if (endingOf(container.options.Env) === 'crash') container.state = 'exited';
    },
    async stop() {
      for (const end of cleanUp.reverse()) await end();
    },
  };
}

/** As a model answers that repeats what it is told. */
function modelAnswer(url: string, echo: object): string | undefined {
  if (!url.endsWith('/v1/messages')) return undefined;
  const content = [{ type: 'text', text: JSON.stringify(echo) }];
  return JSON.stringify({ content, stop_reason: 'end_turn', usage: {} });
}

/** What an MCP server says to a message, its tools an echo; nothing to a note, undefined to what is none of it. */
function mcpAnswer(body: string, echo: object): string | undefined {
  if (!body.includes('"jsonrpc"')) return undefined;
  const { id, method, params } = JSON.parse(body) as {
    id?: number;
    method: string;
    params?: { protocolVersion?: string };
  };
  if (id === undefined) return '';
  const greeting = {
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1' },
  };
  const said = { content: [{ type: 'text', text: JSON.stringify(echo) }], structuredContent: echo };
  return JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? greeting : said });
}

async function listening(server: http.Server): Promise<string> {
  // A connection that is kept is not to end just when a busy worker uses it again.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A port before another one: a connection goes through when `open` runs what it is given. */
async function gate(
  target: number,
  open: (run: () => void) => void,
): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    open(() => {
      if (socket.destroyed) return;
      const through = net.connect(target, '127.0.0.1');
      through.on('error', () => socket.destroy());
      socket.pipe(through).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function endingOf(env: readonly string[] | undefined): string | undefined {
  return env?.find((one) => one.startsWith('ENDING='))?.slice('ENDING='.length);
}

/** Containers that say what they were made of, and end as their environment says. */
function obey(engine: FakeEngine, ends: (ending: string | undefined) => boolean): void {
  const of = (id: string) => engine.containers.get(id);
  engine.answers['POST /containers/*/start'] = ({ id }) => {
    const container = of(id);
    if (!container) return undefined;
    container.state = ends(endingOf(container.options.Env)) ? 'exited' : 'running';
    return { status: 204 };
  };
  engine.answers['GET /containers/*/logs'] = ({ id }) => {
    const container = of(id);
    if (!container) return undefined;
    const text = Buffer.from(`${JSON.stringify(container.options)}\n`);
    const header = Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(text.length, 4);
    return {
      status: 200,
      body: Buffer.concat([header, text]),
      ...(ends(endingOf(container.options.Env)) ? {} : { hang: true as const }),
    };
  };
  engine.answers['POST /containers/*/wait'] = ({ id }) => {
    const container = of(id);
    // Removed meanwhile, as another attempt at the same task does: no container has ended well then.
    if (!container) return undefined;
    const ending = endingOf(container.options.Env);
    if (!ends(ending)) return { status: 200, hang: true };
    return { status: 200, json: { StatusCode: ending === 'failure' || ending === 'retry' ? 3 : 0 } };
  };
}
