/** Cursor loops on a real Temporal server and a real Postgres: each row once, whatever dies. */
import { Client as Postgres } from 'pg';
import { recordedExecution } from '../../src/history';
import { type JsonObject } from '../../src/language/plan';
import { historyPages } from '../../src/temporal/client';
import { CLI, type Running, start } from '../support/process';
import { nightlyTest } from '../support/sampled';
import { playbookOf } from '../support/simulator';
import { setCredential, type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let stack: Stack;
let database: Postgres;
let secret: string;
beforeAll(async () => {
  stack = await startStack({ postgres: true, kinds: ['postgres', 'local'] });
  const { hostname: db_host, port: db_port, username: db_user, password } = new URL(stack.postgres.url);
  const db_password = decodeURIComponent(password);
  secret = JSON.stringify({
    type: 'postgres',
    data: { db_host, db_port, db_user, db_password, db_name: 'noetl' },
  });
  setCredential('pg_cursor', secret);
  database = new Postgres({ connectionString: stack.postgres.url });
  await database.connect();
  await database.query(
    "CREATE TABLE work (run text, id int, state text DEFAULT 'new', times int DEFAULT 0, PRIMARY KEY (run, id))",
  );
});
afterAll(async () => {
  await database?.end();
  await stack?.stop();
});

/** Rows are made by the first step, and counted by the last. */
function playbook(spec: string, mark: string, columns = 'w.id'): string {
  const auth = 'kind: postgres, auth: pg_cursor';
  return playbookOf(
    `
- step: start
  tool: {${auth}, command: "INSERT INTO work (run, id) SELECT '{{ execution_id }}', i FROM generate_series(1, {{ workload.rows | int }}) i"}
  next: {arcs: [{step: work}]}
- step: work
  loop:
    cursor:
      kind: postgres
      auth: pg_cursor
      claim: |
        UPDATE work w SET state = 'taken'
        FROM (SELECT id FROM work WHERE run = '{{ execution_id }}' AND state = 'new'
              ORDER BY id FOR UPDATE SKIP LOCKED LIMIT {{ __frame_max_rows | default(1) | int }}) c
        WHERE w.run = '{{ execution_id }}' AND w.id = c.id RETURNING ${columns}
    iterator: row
    spec: {mode: cursor, ${spec}}
  tool:
  - {name: mark, ${auth}, command: "UPDATE work SET state = 'done', times = times + 1 WHERE run = '{{ execution_id }}' AND ${mark}"}
  next: {arcs: [{step: count, when: "{{ event.name == 'loop.done' }}"}]}
- step: count
  tool: {${auth}, query: "SELECT count(*)::int AS done, coalesce(max(times), 0)::int AS most FROM work WHERE run = '{{ execution_id }}' AND state = 'done'"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {done: "{{ count.rows[0].done }}", most: "{{ count.rows[0].most }}", stats: "{{ work.stats }}"}}`,
    'workload: {rows: 23, lease: 60}',
  );
}

const OF_ROW = 'id = {{ iter.row.id }}';

test.each([
  ['inline', 'process: row', OF_ROW],
  ['local', 'process: row', OF_ROW],
  ['distributed', 'process: row', OF_ROW],
  ['inline', 'process: frame', "id IN ({{ iter.row | map(attribute='id') | join(', ') }})"],
])('marks each of 23 rows once, in frames of five: %s, %s', async (exec, process, mark) => {
  const frame = `{max_rows: 5, row_concurrency: 2, ${process}, lease_seconds: "{{ workload.lease }}", heartbeat_seconds: 20}`;
  const yaml = playbook(`max_in_flight: 2, frame: ${frame}, policy: {exec: ${exec}}`, mark);
  const { result, handle, state } = await stack.run(stack.compile(yaml));
  expect(result).toMatchObject({
    done: 23,
    most: 1,
    stats: { total: 23, success: 23, failed: 0, not_started: 0 },
  });
  const converter = stack.client.options.loadedDataConverter;
  const found = await recordedExecution(historyPages(stack.client, handle.workflowId), { converter });
  expect([found.divergence, found.state]).toEqual([undefined, state]);
});

test('a frame that is stored outside history is read like any other', async () => {
  const yaml = playbook('frame: {max_rows: 10}', OF_ROW, "w.id, repeat('x', 40000) AS text");
  expect((await stack.run(stack.compile(yaml), { rows: 20 })).result).toMatchObject({ done: 20, most: 1 });
});

// In CI leases of workers that are killed are those of chunks.test.ts and of test/e2e/crash.test.ts.
nightlyTest(
  '2,000 rows in child workflows, while workers are killed: each is done once, none is stranded',
  async () => {
    const own = await startStack({ kinds: ['shell'] });
    const env = {
      TEMPORAL_ADDRESS: own.server.address,
      NOETL_STORAGE: 'none',
      NOETL_CREDENTIAL_PG_CURSOR: secret,
    };
    const worker = (): Running => start(process.execPath, [CLI, 'worker', '--kinds', 'postgres'], env);
    let running = worker();
    try {
      const spec =
        'max_in_flight: 4, frame: {max_rows: 100, row_concurrency: 8}, policy: {exec: distributed}';
      const handle = await own.start(own.compile(playbook(spec, `${OF_ROW} AND state = 'taken'`)), {
        rows: 2000,
      });
      const done = async (): Promise<number> => {
        const { rows } = await database.query<{ n: string }>(
          `SELECT count(*) n FROM work WHERE state = 'done' AND run = '${handle.workflowId.replace(/^\D*/, '')}'`,
        );
        return Number(rows[0]!.n);
      };
      for (const many of [500]) {
        await until(async () => (await done()) > many || undefined, 60_000);
        running.child.kill('SIGKILL');
        await running.finished;
        running = worker();
      }
      const { result } = (await handle.result()) as { result: JsonObject };
      expect(result).toMatchObject({ done: 2000, most: 1, stats: { total: 2000, success: 2000, failed: 0 } });
    } finally {
      running.child.kill('SIGKILL');
      await running.finished;
      await own.stop();
    }
  },
);
