/**
 * Lineage of recorded executions, as the official client of OpenLineage takes it: its classes are generated from the
 * JSON Schemas of the specification.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { present } from '../../../../test/support/present';
import { pythonVenv } from '../../../../test/support/python-venv';
import { Derivation, historyFile, noetlRows } from '../../../history';
import { type ToolKind } from '../../../language/kinds/declaration';
import { type Dataset } from '../../../language/kinds/lineage';
import { declarationOf, type JsonObject } from '../../../language/plan';
import { type EventBatch, type EventItem } from '../sink';
import { noetlColumns } from '../tables/noetl-row';
import { datasetsOf, serverIn } from './datasets';
import { lineageOf, type LineageSurroundings } from './lineage-of';
import { type RunEvent, runIdOf } from './run-event';

const ROOT = path.resolve(__dirname, '../../../..');
const CANARY = 'canary-password-1';
const servers = (name: string) =>
  Promise.resolve(
    name === 'pg_local'
      ? serverIn({ host: 'db.example.com', port: 5433, database: 'shop', password: CANARY })
      : undefined,
  );
const around: LineageSurroundings = {
  servers,
  kindOf: declarationOf,
  pathOf: (id) => Promise.resolve(`path/of/${id}`),
  version: '1.2.3',
};

async function lineageIn(name: string, more: Partial<EventBatch> = {}): Promise<RunEvent[]> {
  const derivation = new Derivation({ calls: true });
  const rowsOf = noetlRows();
  const made: RunEvent[] = [];
  for await (const page of historyFile(path.join(ROOT, 'test/histories/v1', `${name}.json`)))
    for (const event of await derivation.take(page)) {
      const told: EventItem = {
        event,
        rows: rowsOf(event).map((row) => noetlColumns(row, 0)),
        call: derivation.callOf(event),
      };
      const { plan, origin, state } = derivation;
      const execution = {
        namespace: 'default',
        workflowId: `noetl-${state.executionId}`,
        runId: 'r',
        executionId: state.executionId,
      };
      const callerId = state.caller?.executionId;
      const batch: EventBatch = {
        execution,
        plan,
        origin: origin!,
        events: [told],
        variables: { written: [], deleted: [], isWhole: false },
        callerId,
        ...more,
      };
      const one = await lineageOf(batch, told, around);
      if (one) made.push(one);
    }
  return made;
}

const NAMES = [
  'fetch_transform_store',
  'error_path_failed',
  'fan_out_reduce',
  'sub_playbook_parent',
  'sub_playbook_child',
  'wait_timeout',
];

test('every event is one that the official client accepts, and datasets have the names that it gives', async () => {
  const all = (await Promise.all(NAMES.map((name) => lineageIn(name)))).flat();
  const venv = present(await pythonVenv(['openlineage-python==1.54.0']));
  const lines = all.map((one) => JSON.stringify(one)).join('\n');
  const script = path.join(ROOT, 'test/support/openlineage_check.py');
  const check = (input: string) =>
    spawnSync(path.join(venv.bin, 'python'), [script], { input, encoding: 'utf8' });
  const { status, stdout, stderr } = check(lines);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(all.length).toBeGreaterThan(60);
  expect(lines).not.toContain(CANARY);
  // The check can fail.
  expect(check(lines.replace('"runId":"', '"runId":"x')).status).not.toBe(0);
  expect(check(lines.replace('"programmingLanguage"', '"language"')).status).not.toBe(0);
  const names = JSON.parse(stdout) as Record<string, [string, string]>;
  const asked = {
    postgres: { kind: 'postgres', config: { auth: 'pg_local', table: 'orders' } },
    snowflake: {
      kind: 'snowflake',
      config: { auth: { account: 'ORG-ACC' }, database: 'SHOP', sql: 'INSERT INTO orders SELECT 1' },
    },
    gcs: { kind: 'gcs', config: { source: 'x.csv', destination: 'gs://b/in/x.csv' } },
    s3: { kind: 'duckdb', config: { command: "COPY (SELECT 1) TO 's3://b/x.parquet'" } },
  };
  for (const [kind, one] of Object.entries(asked)) {
    const [namespace, name] = names[kind]!;
    expect((await datasetsOf(one, around)).outputs).toEqual([{ namespace, name }]);
  }
});

test('an execution is a run, each task run another with it as its parent, and both end', async () => {
  const all = await lineageIn('fetch_transform_store');
  const [first, last] = [all[0]!, all.at(-1)!];
  expect([first.eventType, last.eventType]).toEqual(['START', 'COMPLETE']);
  expect(last.run.runId).toBe(first.run.runId);
  expect(first.run.runId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const ends = new Map<string, string[]>();
  for (const { run, eventType } of all) ends.set(run.runId, [...(ends.get(run.runId) ?? []), eventType]);
  for (const states of ends.values())
    expect([
      ['START', 'COMPLETE'],
      ['START', 'FAIL'],
    ]).toContainEqual(states);
  const tasks = all.slice(1, -1);
  for (const { run } of tasks)
    expect(run.facets['parent']).toMatchObject({
      run: { runId: first.run.runId },
      root: { job: { name: first.job.name } },
    });
  const again = await lineageIn('fetch_transform_store');
  expect(again).toEqual(all);
  const table = { namespace: 'postgres://db.example.com:5433', name: 'shop.public.example_items' };
  const written = tasks.filter(({ outputs }) => outputs.some((one) => one.name === table.name));
  expect(written.length).toBeGreaterThan(1);
  for (const { outputs, eventType } of written) {
    expect(outputs).toContainEqual(table);
    expect(eventType).toBe('COMPLETE');
  }
  const read = tasks.flatMap(({ inputs }) => inputs);
  expect(read).toContainEqual(table);
  // The address is the one that was called: in the playbook it is a template.
  expect(read.some(({ namespace, name }) => /^http:\/\/127/.test(namespace) && name !== '')).toBe(true);
});

test('failures say why; a sub-playbook names its caller and the root', async () => {
  const failed = await lineageIn('error_path_failed');
  expect(failed.at(-1)).toMatchObject({
    eventType: 'FAIL',
    run: { facets: { errorMessage: { message: expect.any(String) as string } } },
  });
  const [child] = await lineageIn('sub_playbook_child');
  const { parent } = child!.run.facets;
  expect(parent).toMatchObject({ job: { name: expect.stringMatching(/^path\/of\/\d+$/) as string } });
  const id = /\d+$/.exec((parent as unknown as { job: { name: string } }).job.name)![0];
  expect(parent).toMatchObject({ run: { runId: runIdOf('default', id) } });
});

describe('datasets', () => {
  const of = async (kind: string, config: JsonObject): Promise<string[][]> => {
    const { inputs, outputs } = await datasetsOf({ kind, config }, around);
    const shown = ({ namespace, name }: Dataset): string => `${namespace} ${name}`;
    return [inputs.map(shown), outputs.map(shown)];
  };
  const pg = 'postgres://db.example.com:5433';

  test.each<[string, JsonObject, string[], string[]]>([
    [
      'postgres',
      { auth: 'pg_local', command: 'INSERT INTO a SELECT * FROM S.B' },
      [`${pg} shop.s.b`],
      [`${pg} shop.public.a`],
    ],
    ['postgres', { auth: 'gone', command: ['SELECT * FROM "A"'] }, ['noetl://credentials/gone public.A'], []],
    ['postgres', { auth: 'pg_local', command: 'SELECT * FROM information_schema.tables' }, [], []],
    ['duckdb', { command: "CREATE TABLE t AS SELECT * FROM 'in.csv'" }, ['file in.csv'], []],
    ['duckdb', { database: '/data/x.db', command: 'SELECT * FROM t' }, ['duckdb:///data/x.db main.t'], []],
    [
      'transfer',
      {
        source: { kind: 'pg', auth: 'pg_local', table: 'a' },
        target: { kind: 'http', url: 'https://api.example.com/items?token=x', method: 'GET' },
      },
      [`${pg} shop.public.a`],
      ['https://api.example.com items'],
    ],
    ['http', { url: 'https://u:p@api.example.com/v1/x?key=secret' }, ['https://api.example.com v1/x'], []],
    ['http', { url: 'https://api.example.com/', method: 'POST' }, [], ['https://api.example.com /']],
    ['http', { url: { $secret: 1 } }, [], []],
    ['gcs', { action: 'delete', source: 'gs://b/x' }, [], []],
    ['artifact', { ref: { store: 's3', key: 'k' } }, ['noetl://results/s3 k'], []],
    ['python', { code: 'x' }, [], []],
  ])('of %s %j', async (kind, config, inputs, outputs) => {
    expect(await of(kind, config)).toEqual([inputs, outputs]);
  });

  test('of a kind that an extension declares', async () => {
    const warehouse: ToolKind = {
      doc: 'SQL on a warehouse.',
      fields: {},
      required: [],
      sql: ['q'],
      lineage: {
        database: { namespace: ({ host }) => host && `wh://${host}`, schema: 'dbo', fold: 'upper' },
      },
    };
    const naming = { servers, kindOf: () => warehouse };
    const call = { kind: 'wh', config: { auth: 'pg_local', q: 'INSERT INTO a SELECT * FROM "b"' } };
    expect(await datasetsOf(call, naming)).toEqual({
      inputs: [{ namespace: 'wh://db.example.com', name: 'shop.dbo.b' }],
      outputs: [{ namespace: 'wh://db.example.com', name: 'shop.dbo.A' }],
    });
  });

  test('what `artifact` stored is named by its result', async () => {
    const result = { store: 's3', key: 'k', checksum: 'sha256:0' };
    expect(await datasetsOf({ kind: 'artifact', config: { data: 1 }, result }, around)).toEqual({
      inputs: [],
      outputs: [{ namespace: 'noetl://results/s3', name: 'k' }],
    });
  });

  test('of a credential, nothing but the address is used', () => {
    expect(serverIn({ dsn: `postgres://u:${CANARY}@h:1/d` })).toEqual({
      host: 'h',
      port: '1',
      database: 'd',
    });
    expect(serverIn({ db_host: 'h', db_name: 'd', db_password: CANARY, db_user: 'u' })).toEqual({
      host: 'h',
      database: 'd',
    });
  });
});
