/** One run of chaos, from the first process to the verdict. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { until } from '../support/until';
import { Faults } from './faults';
import { type Fleet } from './fleet';
import { memoryOf, recovery, type Report, slowestRestarts } from './report';
import { faultsOf } from './schedule';
import { type Target } from './target';
import { select, verdictOn } from './verdict';
import { Visitors } from './visitors';
import { type Place, withClient, withFleet } from './with-fleet';

export interface ChaosOptions extends Place {
  readonly seed: string;
  readonly minutes: number;
  readonly executions: number;
  /** How often things go wrong: 1 is about 11 kills a minute. */
  readonly rate: number;
  /** Where histories are kept; of all executions, or only of those with violations. */
  readonly histories: { readonly folder: string; readonly all: boolean };
  readonly say: (line: string) => void;
}

export const TABLE =
  'CREATE TABLE chaos_rows (key text PRIMARY KEY, writes int NOT NULL DEFAULT 1, at timestamptz NOT NULL DEFAULT now())';
/** Executions are submitted during this part of the time, so that faults hit the last ones too. */
const SUBMITTING = 0.9;
/** From the last fault to the end of the last execution. */
const END_LIMIT_MS = 360_000;

export async function chaos(options: ChaosOptions): Promise<Report> {
  const began = Date.now();
  const { value, left } = await withFleet(options, (fleet, target) => disturbed(options, fleet, target));
  const violations = [
    ...value.violations,
    ...left.orphans.map((orphan) => `${orphan} outlived the process that started it`),
  ];
  const seconds = Math.round((Date.now() - began) / 1000);
  return { ...value, violations, ownEnds: left.ownEnds, seconds };
}

async function disturbed(
  options: ChaosOptions,
  fleet: Fleet,
  target: Target,
): Promise<Omit<Report, 'ownEnds' | 'seconds'>> {
  const { seed, minutes, executions, rate, say, histories } = options;
  const database = fleet.servers.postgres.href;
  await select(database, TABLE);
  const visitors = new Visitors(fleet.facades, target.url, seed);
  await visitors.register();
  await visitors.schedule();
  const victims = fleet.members.map(({ options: { name, role, links } }) => ({
    ...{ name, role, links: Object.keys(links ?? {}) },
  }));
  const schedule = faultsOf(seed, minutes, { victims, disk: fleet.disk.fill !== undefined, rate });
  const faults = new Faults(fleet);
  const progress = setInterval(
    () => say(`${visitors.submissions.length} submitted, ${faults.done.length} of ${schedule.length} faults`),
    30_000,
  );
  try {
    const submitted = visitors.submit(executions, minutes * 60 * SUBMITTING);
    // Whoever ends the fleet while faults are carried out is up against processes that are started again.
    await Promise.allSettled([submitted, faults.carryOut(schedule)]);
    await submitted;
  } finally {
    clearInterval(progress);
  }
  say('nothing is disturbed any more; waiting for the end of the last execution');
  await visitors.endSchedule();
  await visitors.resumeAll();
  return await withClient(fleet, async (client) => {
    const open = await allEnd(client);
    const verdict = await verdictOn({
      ...{ client, database, target, histories, submissions: visitors.submissions, faults: faults.done },
    });
    return {
      ...{
        seed,
        minutes,
        cluster: options.clusterScript !== undefined,
        submitted: visitors.submissions.length,
      },
      faults: counted(faults.done.map(({ kind }) => kind)),
      ...verdict,
      violations: [...faults.failures, ...open, ...verdict.violations],
      slowestRecovery: recovery(faults.done, verdict.ends),
      slowestRestarts: slowestRestarts(faults.done),
      memory: memoryOf(fleet.members),
    };
  });
}

/** Waits until no workflow is open any more, keepers and schedules included; those that still are. */
export async function allEnd(client: Client): Promise<string[]> {
  const query = `ExecutionStatus = 'Running'`;
  const open: string[] = [];
  await until(async () => {
    open.length = 0;
    for await (const { workflowId, type } of client.workflow.list({ query }))
      open.push(`${workflowId} (${type})`);
    return open.length === 0;
  }, END_LIMIT_MS).catch(() => undefined);
  if (open.length === 0) await sleep(2_000); // visibility learns of the last end a moment later
  return open.map((id) => `${id} is stuck: it never ended`);
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
