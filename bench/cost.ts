/**
 * The cost of a step: state transitions, history events and bytes, CPU time of worker and server, and, with a
 * database, its transactions and write-ahead log. Each workload runs at two sizes; the cost of a step is the slope
 * between them, which excludes the fixed cost of an execution. A third size verifies the prediction.
 *
 * `npm run bench -- cost`; TEMPORAL_ADDRESS for a server other than a separate dev server, SERVER_PIDS
 * (comma-separated) for the processes counted as the server, DATABASE_URL for the server's Postgres.
 */
import fs from 'node:fs';
import { type Client } from '@temporalio/client';
import pg from 'pg';
import { workflowArguments } from '../src/storage/payloads';
import { WORKFLOW_TASK_QUEUE, WORKFLOW_TYPE, workflowId } from '../src/language/plan';
import { newExecutionId } from '../src/temporal/client';
import { openSetting, planOf } from './compare/setting';
import { each, local, loop, parallel, steps } from './compare/workloads';

interface Counts {
  readonly transitions: number;
  readonly events: number;
  readonly bytes: number;
  readonly workerMs: number;
  readonly serverMs: number;
  readonly commits: number;
  readonly walBytes: number;
}

const WORKLOADS: readonly (readonly [name: string, yaml: (n: number) => string])[] = [
  ['a step of one http task', (n) => steps(n, '{kind: http, url: "{{ workload.url }}"}')],
  ['an iteration, one after the other', (n) => loop(n, each)],
  ['an iteration, 50 at once', (n) => loop(n, each, parallel(50))],
  ['an iteration, distributed', (n) => loop(n, each, `${parallel(50)}, exec: distributed`)],
  ['an iteration, local', (n) => local(loop(n, each, parallel(50)))],
  ['a noop step', (n) => steps(n, '{kind: noop}')],
];
const SIZES = [100, 300] as const;
const CHECKED = 200;
const TICK_MS = 10;

export async function benchCost(): Promise<void> {
  const { client, target, serverPid, close } = await openSetting(['http', 'local']);
  const database = process.env['DATABASE_URL'];
  const postgres = database === undefined ? undefined : new pg.Client({ connectionString: database });
  await postgres?.connect();
  const pids = (process.env['SERVER_PIDS'] ?? String(serverPid ?? '')).split(',').filter(Boolean);
  const measured = (n: number, yaml: (n: number) => string): Promise<Counts> =>
    measure({ client, postgres, pids }, yaml(n), { url: target.url });
  try {
    console.log(
      '  '.padEnd(36) + 'transitions  events   bytes  worker ms  server ms  commits  WAL bytes   off by',
    );
    for (const [name, yaml] of WORKLOADS) {
      await measured(SIZES[0], yaml);
      const [small, large, checked] = [
        await measured(SIZES[0], yaml),
        await measured(SIZES[1], yaml),
        await measured(CHECKED, yaml),
      ];
      const slope = (field: keyof Counts): number => (large[field] - small[field]) / (SIZES[1] - SIZES[0]);
      const predicted = small.bytes + slope('bytes') * (CHECKED - SIZES[0]);
      const cells = [
        slope('transitions').toFixed(2).padStart(11),
        slope('events').toFixed(2).padStart(8),
        slope('bytes').toFixed(0).padStart(8),
        slope('workerMs').toFixed(2).padStart(11),
        slope('serverMs').toFixed(2).padStart(11),
        slope('commits').toFixed(1).padStart(9),
        slope('walBytes').toFixed(0).padStart(11),
        `${((checked.bytes / predicted - 1) * 100).toFixed(1)} %`.padStart(9),
      ];
      console.log(`  ${name.padEnd(34)}${cells.join('')}`);
    }
  } finally {
    await postgres?.end();
    await close();
  }
}

interface Around {
  readonly client: Client;
  readonly postgres: pg.Client | undefined;
  readonly pids: readonly string[];
}

async function measure({ client, postgres, pids }: Around, yaml: string, payload: object): Promise<Counts> {
  const [worker, server, database] = [process.cpuUsage(), ticksOf(pids), await writesOf(postgres)];
  const handle = await client.workflow.start(WORKFLOW_TYPE, {
    taskQueue: WORKFLOW_TASK_QUEUE,
    workflowId: workflowId(newExecutionId()),
    args: workflowArguments({ payload: payload as never, plan: planOf(yaml) }),
  });
  await handle.result();
  const { user, system } = process.cpuUsage(worker);
  const { historySize = 0, historyLength, raw } = await handle.describe();
  const after = await writesOf(postgres);
  return {
    transitions: Number(raw.workflowExecutionInfo?.stateTransitionCount ?? 0),
    events: historyLength,
    bytes: historySize,
    workerMs: (user + system) / 1000,
    serverMs: (ticksOf(pids) - server) * TICK_MS,
    commits: after.commits - database.commits,
    walBytes: after.walBytes - database.walBytes,
  };
}

/** CPU time of other processes, in the kernel's ticks; 0 without /proc. */
function ticksOf(pids: readonly string[]): number {
  return pids.reduce((sum, pid) => {
    const file = `/proc/${pid}/stat`;
    if (!fs.existsSync(file)) return sum;
    const fields = fs.readFileSync(file, 'utf8').split(') ')[1]!.split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
}

async function writesOf(postgres: pg.Client | undefined): Promise<{ commits: number; walBytes: number }> {
  if (!postgres) return { commits: 0, walBytes: 0 };
  const { rows } = await postgres.query<{ commits: string; wal: string }>(
    `SELECT sum(xact_commit) AS commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal FROM pg_stat_database`,
  );
  return { commits: Number(rows[0]!.commits), walBytes: Number(rows[0]!.wal) };
}
