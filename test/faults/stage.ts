/** What cells need to fail against: servers that answer wrongly or not at all, and real ones. */
import fs from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { openStorage, type Storage } from '../../src/storage/blobs';
import { type JsonObject } from '../../src/language/plan';
import { type PostgresTool, postgresTool } from '../support/postgres-tool';
import { type Emulator, needEmulator } from '../support/python-servers';
import { context, type TestContext } from '../support/tool-call';

export interface Stage {
  readonly folder: string;
  /** A path in `folder`. */
  file(name: string): string;
  /** Of the server of `serve`. */
  readonly origin: string;
  /** Takes a connection and says what no protocol says. */
  readonly rudePort: number;
  readonly pg: PostgresTool;
  readonly warehouse: Emulator;
  readonly bus: Emulator;
  readonly storage: Storage;
  /** With a store, and the credentials that cells name. */
  context(): TestContext;
  stop(): Promise<void>;
}

/** JSON that a reader in JavaScript is tempted to spoil. */
const VALUES: Readonly<Record<string, string>> = {
  big: '9223372036854775807',
  half: '0.5',
  huge: '1e999',
  day: '"2026-01-31T08:00:00.123456Z"',
};

/** `/status/503`, `/reset`, `/half`, `/slow`, `/stall`, `/loop`, `/gzip`, `/big`, `/html`, `/json`, `/nan`, `/bytes`, `/values/big`. */
function serve(request: http.IncomingMessage, response: http.ServerResponse): void {
  const [, what = '', value = ''] = new URL(request.url!, 'http://x').pathname.split('/');
  if (what === 'status') response.writeHead(Number(value)).end('{}');
  else if (what === 'reset') request.socket.destroy();
  else if (what === 'half')
    response.writeHead(200, { 'content-length': '1000' }).write('x', () => request.socket.destroy());
  else if (what === 'stall') response.writeHead(200, { 'content-length': '1000' }).write('x');
  else if (what === 'loop') response.writeHead(302, { location: request.url! }).end();
  else if (what === 'gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all');
  else if (what === 'big') response.writeHead(200).end('x'.repeat(5000));
  else if (what === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  else if (what === 'json')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"rows": [1, 2]}');
  else if (what === 'nan') response.writeHead(200, { 'content-type': 'application/json' }).end('{"n": NaN}');
  else if (what === 'bytes')
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([0x89, 0xff]));
  else if (what === 'values')
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"v": ${VALUES[value]}}`);
  // `/slow` never answers.
}

export async function setStage(): Promise<Stage> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-faults-'));
  const file = (name: string): string => path.join(folder, name);
  const web = http.createServer(serve);
  const rude = net.createServer((socket) =>
    socket.on('error', () => undefined).end('\u0000\u0001garbage\r\n\r\n'),
  );
  const sockets = new Set<net.Socket>();
  const portOf = async (server: net.Server): Promise<number> => {
    server.on('connection', (socket: net.Socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const origin = `http://127.0.0.1:${await portOf(web)}`;
  const rudePort = await portOf(rude);
  const storage = await openStorage(`file://${file('blobs')}`);
  const [pg, warehouse, bus] = await Promise.all([
    postgresTool(),
    needEmulator('snowflake'),
    needEmulator('nats'),
  ]);
  await pg.admin(`create table t (id int primary key, n int not null check (n > 0), doc jsonb, u uuid);
    insert into t values (1, 1); create table child (id int references t (id)); create role nobody login password 'nobody-pass'`);
  const noDatabase = 'this is not a database at all, and long enough to be read as one';
  fs.writeFileSync(file('not-a.duckdb'), noDatabase.repeat(100));
  fs.writeFileSync(file('plain'), 'a file');
  const vault = (address: string): { data: JsonObject } => ({ data: { address, token: 'no-token' } });
  const credentials = {
    pg_local: { type: 'postgres', data: pg.data },
    vault_away: vault('http://127.0.0.1:1'),
    vault_rude: vault(`http://127.0.0.1:${rudePort}`),
    vault_html: vault(`${origin}/html`),
    vault_slow: vault(`${origin}/slow`),
    ...Object.fromEntries(
      [403, 404, 429, 503].map((status) => [`vault_${status}`, vault(`${origin}/status/${status}`)]),
    ),
  };
  return {
    folder,
    file,
    origin,
    rudePort,
    pg,
    warehouse,
    bus,
    storage,
    context: () => ({ ...context(credentials), results: storage.results('default')! }) as TestContext,
    async stop() {
      sockets.forEach((socket) => socket.destroy());
      web.close();
      rude.close();
      await Promise.all([warehouse.stop(), bus.stop(), storage.close(), pg.stop()]);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A login of the Snowflake stand-in. */
export function sf(on: Stage, more: JsonObject): JsonObject {
  const login = { account: 'fake', user: 'u', password: 'p', database: 'DB1', schema: 'S1' };
  return { ...login, access_url: on.warehouse.url, ...more };
}
