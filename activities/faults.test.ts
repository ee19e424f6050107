/**
 * Kind × fault (test/faults), each to the outcome that was written down before; and kind × clause (test/clauses) of what
 * every kind owes its author.
 */
import { CLAUSES, type Row } from '../test/clauses/clause';
import { INSIDE } from '../test/clauses/inside';
import { PROGRAMS } from '../test/clauses/programs';
import { diagnosed, prove } from '../test/clauses/prove';
import { SERVICES } from '../test/clauses/services';
import { SQL } from '../test/clauses/sql';
import { artifact } from '../test/faults/artifact';
import { type Cell } from '../test/faults/cell';
import { duckdb } from '../test/faults/duckdb';
import { gcs } from '../test/faults/gcs';
import { http } from '../test/faults/http';
import { nats } from '../test/faults/nats';
import { postgres } from '../test/faults/postgres';
import { script, shell } from '../test/faults/programs';
import { python } from '../test/faults/python';
import { secrets } from '../test/faults/secrets';
import { snowflake } from '../test/faults/snowflake';
import { setStage, sf, type Stage } from '../test/faults/stage';
import { transfer } from '../test/faults/transfer';
import { KINDS } from '../src/language/dsl';
import { type JsonObject } from '../src/language/plan';
import { run } from '../test/support/tool-call';
import { closeTools, registry } from './registry';

const CELLS: Readonly<Record<string, readonly Cell[]>> = {
  http,
  python,
  postgres,
  duckdb,
  shell,
  script,
  artifact,
  gcs,
  snowflake,
  nats,
  transfer,
  secrets,
};

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
}, 400_000);
afterAll(async () => {
  await closeTools([]);
  await stage?.stop();
});

describe.each(Object.keys(CELLS))('%s', (kind) => {
  test.each(CELLS[kind]!)('%s', async (_, config, errorKind, code, retryable) => {
    const given = typeof config === 'function' ? config(stage) : config;
    const auth: JsonObject = kind === 'postgres' && given['auth'] === undefined ? { auth: 'pg_local' } : {};
    const outcome = await run(registry.get(kind)!, { ...auth, ...given }, {}, stage.context());
    const { kind: foundKind, code: foundCode, retryable: foundRetryable, message } = outcome.error ?? {};
    expect({ kind: foundKind, code: foundCode, retryable: foundRetryable }).toEqual({
      kind: errorKind,
      code,
      retryable,
    });
    expect(outcome.status).toBe('error');
    expect(String(message).length).toBeGreaterThan(8);
  });
});

const ROWS: Readonly<Record<string, Row>> = { ...INSIDE, ...SQL, ...SERVICES, ...PROGRAMS };

describe('what every kind owes its author', () => {
  test('every kind has a row', () => {
    expect(Object.keys(ROWS).sort()).toEqual(Object.keys(KINDS).sort());
  });

  const cells = Object.entries(ROWS).flatMap(([kind, { proofs }]) =>
    CLAUSES.map((clause) => [kind, clause, proofs[clause]] as const),
  );
  test.each(cells)('%s: %s', (kind, _, proof) => prove(kind, proof, CELLS[kind] ?? [], stage));

  test.each(Object.entries(ROWS))('%s: an input that nobody knows', (kind, { fields, open }) => {
    const unserved = open === undefined ? [] : [expect.objectContaining({ code: 'NT2055' })];
    expect(diagnosed(kind, fields)).toEqual(unserved);
    const found = diagnosed(kind, { ...fields, nonsense: 1 });
    if (open !== undefined) return expect(found).toEqual(unserved);
    const [line, column] = [7 + Object.keys(fields).length, 7];
    expect(found).toMatchObject([{ code: 'NT2052', line, column }]);
    expect(found[0]!.message).toContain(`\`${kind}\` does not read \`nonsense\``);
    expect(found[0]!.hint).toBeDefined();
  });
});

test('no cell is there twice', () => {
  const all = Object.entries(CELLS).flatMap(([kind, cells]) => cells.map(([fault]) => `${kind}: ${fault}`));
  expect(new Set(all).size).toBe(all.length);
});

test('a server that speaks no protocol is a lost connection', async () => {
  const { rudePort, pg } = stage;
  const rude = `http://127.0.0.1:${rudePort}`;
  for (const [kind, config] of [
    ['http', { url: rude }],
    ['postgres', { query: 'select 1', auth: { type: 'postgres', ...pg.data, db_port: rudePort } }],
    ['gcs', { source: 'gs://bucket/x', auth: { endpoint: rude } }],
    ['snowflake', { query: 'select 1', auth: sf(stage, { access_url: rude }) }],
    ['nats', { operation: 'js_stream_info', stream: 'x', auth: { nats_url: `127.0.0.1:${rudePort}` } }],
    ['container', { image: 'x', runtime: 'kubernetes', auth: { type: 'kubernetes', server: rude } }],
    ['transfer', { source: { kind: 'http', url: rude }, target: { kind: 'duckdb', table: 't' } }],
    ['secrets', { provider: 'vault', secret: 'app/db', auth: 'vault_rude' }],
  ] as const) {
    const { error } = await run(registry.get(kind)!, config as JsonObject, {}, stage.context());
    expect({ [kind]: error?.kind }).toEqual({ [kind]: 'connection' });
  }
});
