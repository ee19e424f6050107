/** A disk that is really full (a small tmpfs): what was documented, and nothing half written that looks whole. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { type ErrorKind, type JsonObject } from '../src/language/plan';
import { onSmallDisk } from '../test/support/small-disk';
import { run } from '../test/support/tool-call';
import { closeTools, registry } from './registry';

const BODY = Buffer.alloc(8 * 1024 * 1024, 'x');
let server: http.Server;
let url: string;
beforeAll(async () => {
  server = http.createServer((_request, response) => response.end(BODY));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  await closeTools([]);
  server.closeAllConnections();
  server.close();
});

/** The disk has 4 MiB. A `file` is what must not be there afterwards. */
const CELLS: readonly (readonly [
  kind: string,
  fields: (file: string) => JsonObject,
  error: { kind: ErrorKind; code: string; retryable: boolean },
])[] = [
  [
    'http',
    (file) => ({ url, save_to: file }),
    { kind: 'exception', code: 'FILE_UNWRITABLE', retryable: true },
  ],
  [
    'duckdb',
    (file) => ({
      command: `copy (select range as id, repeat('x', 100) as name from range(200000)) to '${file}' (format csv)`,
    }),
    { kind: 'sql', code: 'DUCKDB_IO', retryable: true },
  ],
  [
    'duckdb',
    (file) => ({
      database: `${file}.duckdb`,
      command: 'create table t as select range as id, random()::text as name from range(1000000); checkpoint',
    }),
    { kind: 'sql', code: 'DUCKDB_IO', retryable: true },
  ],
  [
    'python',
    (file) => ({ code: `with open('${file}.txt', 'w') as out: out.write('x' * 8_000_000)` }),
    { kind: 'exception', code: 'PY_OSError', retryable: false },
  ],
  [
    'shell',
    (file) => ({ cmds: `head -c 8000000 /dev/zero > ${file}.txt` }),
    { kind: 'exception', code: 'EXIT_1', retryable: false },
  ],
];

test.each(CELLS)('%s', async (kind, fields, expected) => {
  await onSmallDisk(4, async (disk) => {
    const file = path.join(disk, 'out');
    const outcome = await run(registry.get(kind)!, fields(file));
    expect(outcome.error).toMatchObject(expected);
    expect(JSON.stringify(outcome)).toMatch(/No space left|ENOSPC/);
    expect(fs.existsSync(file)).toBe(false);
  });
});
