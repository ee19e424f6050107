/**
 * A cursor loop over so many rows of a Postgres of its own, on workers that are processes; with `--kill 10`, one of them is
 * killed every ten seconds or so. Each row must be marked exactly once and none stranded; what one execution's
 * history and the workers' memory come to is told. Exit code 1 if a row was not, or was marked twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import { TypedSearchAttributes } from '@temporalio/common';
import { compile, formatDiagnostics } from '../src/language/dsl';
import { workflowTypeOf } from '../src/language/plan';
import { openStorage } from '../src/storage/blobs';
import { inlineBytesOf, workflowArguments } from '../src/storage/payloads';
import {
  newExecutionId,
  NOETL_PLAYBOOK,
  NOETL_STATUS,
  NOETL_VERSION,
  WORKFLOW_TASK_QUEUE,
  workflowId,
} from '../src/temporal/client';
import { processOf } from '../test/chaos/process-tree';
import { CLI, type Running, start } from '../test/support/process';
import { startTestPostgres } from '../test/support/postgres';
import { startTestServer, type TestServer } from '../test/support/temporal';

const SEEN_EVERY_MS = 5000;

interface Options {
  readonly rows: number;
  readonly exec: string;
  readonly frame: number;
  readonly slots: number;
  readonly concurrency: number;
  readonly workers: number;
  /** Mean seconds between two kills; 0: none. */
  readonly kill: number;
}

const source = ({ exec, frame, slots, concurrency }: Options): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: cursor, path: bench/cursor}
executor: {spec: {entry_step: work}}
workflow:
- step: work
  loop:
    cursor:
      kind: postgres
      auth: pg
      claim: |
        UPDATE work w SET state = 'taken'
        FROM (SELECT id FROM work WHERE state = 'new' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT {{ __frame_max_rows }}) c
        WHERE w.id = c.id RETURNING w.id
    iterator: row
    spec: {mode: cursor, max_in_flight: ${slots}, frame: {max_rows: ${frame}, row_concurrency: ${concurrency}}, policy: {exec: ${exec}}}
  tool:
  - name: mark
    kind: postgres
    auth: pg
    command: "WITH log AS (INSERT INTO calls VALUES ($1)) UPDATE work SET state = 'done', times = times + 1 WHERE id = $1 AND state = 'taken'"
    params: ["{{ row.id }}"]
  next: {arcs: [{step: end, when: "{{ event.name == 'loop.done' }}"}]}
- step: end
  tool: {kind: noop, input: {stats: "{{ work.stats }}"}}
`;

export async function benchCursor(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '100000' },
      exec: { type: 'string', default: 'distributed' },
      frame: { type: 'string', default: '200' },
      slots: { type: 'string', default: '8' },
      concurrency: { type: 'string', default: '16' },
      workers: { type: 'string', default: '2' },
      kill: { type: 'string', default: '0' },
      suggest: { type: 'string', default: '4096' },
    },
  });
  const { exec, ...numbers } = values;
  const given = Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, Number(value)]));
  const options = { ...given, exec } as unknown as Options;
  const server = await startTestServer([`limit.historyCount.suggestContinueAsNew=${values.suggest}`]);
  const postgres = await startTestPostgres();
  try {
    await run(server, postgres.url, options);
  } finally {
    await server.stop({ checked: true });
    await postgres.stop();
  }
}

async function run(server: TestServer, url: string, options: Options): Promise<void> {
  const { hostname: db_host, port: db_port, username: db_user, password: db_password } = new URL(url);
  const secret = {
    type: 'postgres',
    data: { db_host, db_port, db_user, db_password: decodeURIComponent(db_password), db_name: 'noetl' },
  };
  const env = {
    TEMPORAL_ADDRESS: server.address,
    NOETL_STORAGE: 'none',
    NOETL_CREDENTIAL_PG: JSON.stringify(secret),
  };
  const worker = (): Running =>
    start(process.execPath, [CLI, 'worker', '--workflows', '--kinds', 'postgres,local'], env);
  const database = new Postgres({ connectionString: url });
  await database.connect();
  await database.query(
    `CREATE TABLE work (id int PRIMARY KEY, state text DEFAULT 'new', times int DEFAULT 0); CREATE TABLE calls (id int);
     CREATE INDEX ON work (id) WHERE state = 'new'; INSERT INTO work SELECT generate_series(1, ${options.rows})`,
  );
  const workers = Array.from({ length: options.workers }, worker);
  const ended = new AbortController();
  try {
    const began = performance.now();
    const handle = await begin(server, source(options));
    const outcome = handle.result().finally(() => ended.abort());
    const killed = options.kill > 0 ? kill(workers, worker, options.kill, ended.signal) : Promise.resolve(0);
    const seen = watch(server, handle.workflowId, workers, ended.signal);
    const result = await outcome;
    const seconds = (performance.now() - began) / 1000;
    const each = async (sql: string): Promise<number> =>
      Number((await database.query<{ n: string }>(sql)).rows[0]!.n);
    const once = await each("SELECT count(*) n FROM work WHERE state = 'done' AND times = 1");
    const calls = await each('SELECT count(*) n FROM calls');
    console.log(
      `  ${options.rows} rows ${options.exec} in ${seconds.toFixed(0)} s: ${(options.rows / seconds).toFixed(0)} a second`,
    );
    console.log(
      `  marked exactly once: ${once}; statements run again after a loss: ${calls - options.rows}; workers killed: ${await killed}`,
    );
    console.log(`  ${JSON.stringify((result as { result: unknown }).result)}`);
    for (const line of await seen) console.log(`  ${line}`);
    if (once !== options.rows) process.exitCode = 1;
  } finally {
    ended.abort();
    for (const { child } of workers) child.kill('SIGKILL');
    await Promise.all(workers.map(({ finished }) => finished));
    await database.end();
  }
}

async function begin(server: TestServer, yaml: string) {
  const { plan, diagnostics } = compile(yaml, { file: 'cursor.yaml' });
  if (!plan) throw new Error(formatDiagnostics(diagnostics, yaml));
  const { dataConverter } = await openStorage('none');
  const client = new Client({
    connection: server.connection,
    namespace: server.namespace,
    dataConverter,
  });
  return client.workflow.start(workflowTypeOf(plan.metadata.path), {
    workflowId: workflowId(newExecutionId()),
    taskQueue: WORKFLOW_TASK_QUEUE,
    args: workflowArguments({ plan, payload: {} }, inlineBytesOf(plan)),
    typedSearchAttributes: new TypedSearchAttributes([
      { key: NOETL_PLAYBOOK, value: plan.metadata.path },
      { key: NOETL_VERSION, value: '' },
      { key: NOETL_STATUS, value: 'running' },
    ]),
  });
}

/** Kills one worker after the other at random moments, and starts another in its place. */
async function kill(
  workers: Running[],
  worker: () => Running,
  mean: number,
  over: AbortSignal,
): Promise<number> {
  let killed = 0;
  for (;;) {
    await sleep(mean * 1000 * (0.5 + Math.random()), undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return killed;
    const place = Math.floor(Math.random() * workers.length);
    const { child, finished } = workers[place]!;
    child.kill('SIGKILL');
    await finished;
    killed++;
    workers[place] = worker();
  }
}

/** Events of the current run, its largest size, and memory of the workers, in quarters of the time. */
async function watch(
  server: TestServer,
  id: string,
  workers: readonly Running[],
  over: AbortSignal,
): Promise<string[]> {
  const points: { events: number; kib: number; mib: number }[] = [];
  while (!over.aborted) {
    await sleep(SEEN_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
    const { raw } = await server.client.workflow
      .getHandle(id)
      .describe()
      .catch(() => ({ raw: undefined }));
    const info = raw?.workflowExecutionInfo;
    const mib = Math.max(0, ...workers.map(({ child }) => processOf(child.pid!)?.rssMiB ?? 0));
    points.push({
      events: Number(info?.historyLength ?? 0),
      kib: Number(info?.historySizeBytes ?? 0) / 1024,
      mib,
    });
  }
  const size = Math.ceil(points.length / 4) || 1;
  return [0, 1, 2, 3].map((quarter) => {
    const of = points.slice(quarter * size, (quarter + 1) * size);
    const most = (key: 'events' | 'kib' | 'mib'): string =>
      Math.max(0, ...of.map((one) => one[key])).toFixed(0);
    return `quarter ${quarter + 1}: at most ${most('events')} events, ${most('kib')} KiB of history, ${most('mib')} MiB a worker`;
  });
}
