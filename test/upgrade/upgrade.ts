/**
 * Two releases serve the same executions in turn: facades, workers and projection are stopped in good order one after
 * the other, each started again with the other release, while executions of all sorts run.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { openStorage } from '../../src/storage/blobs';
import { allEnd, TABLE } from '../chaos/chaos';
import { Fleet } from '../chaos/fleet';
import { resultsDisk } from '../chaos/results-disk';
import { startServers } from '../chaos/servers';
import { startTarget, type Target } from '../chaos/target';
import { select, type Verdict, verdictOn } from '../chaos/verdict';
import { Visitors } from '../chaos/visitors';
import { divergences, type NamedHistory } from './replay';
import { cliOf, type Release, sharesSchema } from './releases';

export interface UpgradeOptions {
  /** In turn; one alone is a rolling restart. */
  readonly releases: readonly Release[];
  readonly folder: string;
  readonly seconds: number;
  readonly executions: number;
  /** Seconds from one process to the next. */
  readonly every: number;
  /** How a process ends. */
  readonly by: 'stop' | 'kill';
  /** All processes begin with the first release, and each is replaced once, for good. */
  readonly once?: boolean;
  readonly say: (line: string) => void;
}

export interface UpgradeReport extends Verdict {
  readonly swaps: number;
  /** Runs of workflows: executions, chunks, long tasks and keepers; each was replayed on each release. */
  readonly replayed: number;
}

/** Executions that wait while each process is replaced. */
const HELD = 5;

/** Runs everything from the first process to the last execution. @throws Error if something does not start or end */
export async function upgrade(options: UpgradeOptions): Promise<UpgradeReport> {
  const { folder } = options;
  const disk = resultsDisk(folder);
  const target = await startTarget();
  const fleet = new Fleet(folder, await startServers({ folder, clusterPort: 0 }), disk, (name) =>
    path.join(folder, `release-of-${name}`, 'main.js'),
  );
  const lanes = new Lanes(folder, options.releases);
  try {
    lanes.prepare(options.once);
    await fleet.start();
    return await underLoad(options, fleet, lanes, target);
  } finally {
    await fleet.stop();
    await target.close();
    disk.remove();
  }
}

/** Which release each process runs: a link that its command line goes through. */
class Lanes {
  private readonly places = new Map<string, number>();

  constructor(
    private readonly folder: string,
    private readonly releases: readonly Release[],
  ) {}

  /** Unless all begin with the first, neighbours begin with different releases, so that both are always there. */
  prepare(once = false): void {
    MEMBERS.forEach((name, index) => this.put(name, once ? 0 : index));
  }

  next(name: string): void {
    this.put(name, this.places.get(name)! + 1);
  }

  private put(name: string, place: number): void {
    const link = path.join(this.folder, `release-of-${name}`);
    const able = this.releases.filter((one) => !OF_DATABASE.test(name) || sharesSchema(one));
    fs.rmSync(link, { force: true });
    fs.symlinkSync(path.dirname(cliOf(able[place % able.length]!)), link);
    this.places.set(name, place);
  }
}

/** They run migrations, and former releases may refuse a schema that a later one has migrated. */
const OF_DATABASE = /^(facade|projection)/;
const MEMBERS = ['facade-1', 'facade-2', 'flow-1', 'flow-2', 'code-1', 'code-2', 'projection'];

async function underLoad(
  options: UpgradeOptions,
  fleet: Fleet,
  lanes: Lanes,
  target: Target,
): Promise<UpgradeReport> {
  const { seconds, executions, say, by, folder } = options;
  const database = fleet.servers.postgres.href;
  await select(database, TABLE);
  const visitors = new Visitors(fleet.facades, target.url, 'upgrade');
  await visitors.register();
  const faults: Parameters<typeof verdictOn>[0]['faults'][number][] = [];
  let swaps = 0;
  const swapping = async (): Promise<void> => {
    const end = Date.now() + seconds * 1000;
    for (let turn = 0; options.once ? turn < MEMBERS.length : Date.now() < end; turn++) {
      const name = MEMBERS[turn % MEMBERS.length]!;
      const member = fleet.members.find((one) => one.name === name)!;
      const from = Date.now();
      await (by === 'kill' ? member.kill() : member.stop());
      lanes.next(name);
      await member.start();
      // A process that ends in good order is no fault: nothing may be repeated for it.
      if (by === 'kill')
        faults.push({ kind: 'kill', member: name, at: 0, seconds: 0, from, until: Date.now() });
      swaps++;
      say(`${name} swapped after ${Math.round((Date.now() - from) / 100) / 10} s`);
      await sleep(options.every * 1000);
    }
  };
  const release = await visitors.hold(HELD);
  await Promise.all([visitors.submit(executions, seconds), swapping()]);
  await release();
  say('nothing is swapped any more; waiting for the end of the last execution');
  const { host, port } = fleet.servers.temporal;
  const { dataConverter } = await openStorage(`file://${fleet.disk.folder}`);
  const connection = await Connection.connect({ address: `${host}:${port}` });
  try {
    const client = new Client({ connection, dataConverter });
    const histories = await endedHistories(client);
    const verdict = await verdictOn({
      ...{ client, database, target, faults, submissions: visitors.submissions },
      histories: { folder: path.join(folder, 'histories'), all: false },
    });
    say(`replaying ${histories.length} histories`);
    const violations = [...verdict.violations, ...histories.flatMap(failedDecisions)];
    for (const release of options.releases)
      violations.push(...(await divergences(release, histories, dataConverter)));
    return { ...verdict, violations, swaps, replayed: histories.length };
  } finally {
    await connection.close();
  }
}

/** @throws Error if a workflow does not end in time */
async function endedHistories(client: Client): Promise<NamedHistory[]> {
  const open = await allEnd(client);
  if (open.length > 0) throw new Error(open.join('\n'));
  const histories: NamedHistory[] = [];
  for await (const { workflowId, runId } of client.workflow.list({})) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.push({ name: `${workflowId} ${runId}`, history });
  }
  return histories;
}

/** A decision that does not fit its history fails its workflow task. */
function failedDecisions({ name, history }: NamedHistory): string[] {
  return history.events!.flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed?.failure ? [`${name}: a workflow task failed: ${failed.failure.message}`] : [],
  );
}
