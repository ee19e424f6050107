/**
 * Kind × fault, each to the outcome that was written down before; and kind × clause (test/clauses) of what
 * every kind owes its author.
 */
import { CLAUSES, type ClauseRow } from '../test/clauses/clause';
import { INSIDE } from '../test/clauses/inside';
import { diagnosed, prove } from '../test/clauses/prove';
import { setStage, sf, type Stage } from '../test/faults/stage';
import { KIND_TESTS } from '../test/support/kind-tests';
import { KINDS } from '../src/language/dsl';
import { type JsonObject } from '../src/language/plan';
import { run } from '../test/support/tool-call';
import { closeTools, registry } from './registry';

const FAULTS = Object.entries(KIND_TESTS).flatMap(([kind, { faults }]) =>
  faults.map((cell) => [kind, ...cell] as const),
);

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
}, 400_000);
afterAll(async () => {
  await closeTools([]);
  await stage?.stop();
});

test.each(FAULTS)('%s: %s', async (kind, _, config, errorKind, code, retryable) => {
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

const ROWS: Readonly<Record<string, ClauseRow>> = {
  ...INSIDE,
  ...Object.fromEntries(Object.entries(KIND_TESTS).map(([kind, { clauses }]) => [kind, clauses])),
};

describe('what every kind owes its author', () => {
  test('every kind has a row', () => {
    const kinds = Object.keys(KINDS).filter((kind) => KINDS[kind]!.sameAs === undefined);
    expect(Object.keys(ROWS).sort()).toEqual(kinds.sort());
  });

  const cells = Object.entries(ROWS).flatMap(([kind, { proofs }]) =>
    CLAUSES.map((clause) => [kind, clause, proofs[clause]] as const),
  );
  test.each(cells)('%s: %s', (kind, _, proof) => prove(kind, proof, KIND_TESTS[kind]?.faults ?? [], stage));

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
  const all = FAULTS.map(([kind, fault]) => `${kind}: ${fault}`);
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
