/** What must hold when everything is over: each violation in words. */
import fs from 'node:fs';
import path from 'node:path';
import { type Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import pg from 'pg';
import { type RecordedExecution, recordedExecution } from '../../src/history';
import { EXECUTIONS, executionIdOf, historyPages } from '../../src/temporal/client';
import { wrongIn } from '../support/check-executions';
import { checkTokens } from '../support/token-checks';
import { until } from '../support/until';
import { type Done } from './faults';
import { SCHEDULED, SECRET } from './programs';
import { type Target } from './target';
import { type Submission } from './visitors';

export interface Evidence {
  readonly client: Client;
  readonly database: string;
  readonly submissions: readonly Submission[];
  readonly target: Pick<Target, 'calls' | 'wrong'>;
  readonly faults: readonly Done[];
  /** Where histories are kept: of all executions, or of those that are part of a violation. */
  readonly histories: { readonly folder: string; readonly all: boolean };
}

export interface Verdict {
  readonly violations: readonly string[];
  /** Executions by their ends, sub-playbooks and scheduled ones included. */
  readonly executions: Readonly<Record<string, number>>;
  readonly events: number;
  readonly rows: number;
  /** Rows that were written again, calls that were repeated, and the most often repeated call. */
  readonly repeats: { readonly rows: number; readonly calls: number; readonly most: number };
  /** When executions ended, in milliseconds since 1970. */
  readonly ends: readonly number[];
}

interface Seen {
  readonly id: string;
  readonly status: string;
  readonly closedAt?: number;
  readonly recorded?: RecordedExecution;
}

const AT_ONCE = 4;
const GOOD_ENDS: readonly string[] = ['COMPLETED', 'CANCELLED'];
const PROJECTION_LIMIT_MS = 90_000;
/** A worker that was lost is noticed by the heartbeat that does not come. */
const NOTICED_MS = 30_000;
const REPEATING: readonly Done['kind'][] = ['kill', 'commit', 'stop', 'cut', 'slow'];

export async function verdictOn(evidence: Evidence): Promise<Verdict> {
  const { client, submissions, target, faults } = evidence;
  const found: string[] = [...target.wrong];
  const seen = await lookAtAll(client, evidence, found);
  const byId = new Map(seen.map((one) => [one.id, one]));
  const rows = await rowsOf(evidence.database);
  const expected = expectations(submissions, byId, found);
  compareKeys('row', new Set(rows.keys()), expected.rows, found);
  compareKeys('call', new Set(target.calls.keys()), expected.calls, found);
  checkScheduled(seen, rows, found);
  const calls = [...target.calls];
  for (const [key, times] of calls) checkRepeats(key, times, faults, found);
  await checkProjection(evidence.database, seen, found);
  const repeated = calls.map(([, times]) => times.length - 1);
  return {
    violations: found,
    executions: countBy(seen, ({ status }) => status),
    events: seen.reduce((sum, { recorded }) => sum + (recorded?.events.length ?? 0), 0),
    rows: rows.size,
    repeats: {
      rows: [...rows.values()].reduce((sum, writes) => sum + writes - 1, 0),
      calls: repeated.reduce((sum, times) => sum + times, 0),
      most: Math.max(0, ...repeated),
    },
    ends: seen.flatMap(({ closedAt }) => closedAt ?? []),
  };
}

async function lookAtAll(client: Client, { histories }: Evidence, found: string[]): Promise<Seen[]> {
  fs.mkdirSync(histories.folder, { recursive: true });
  const ids = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query: EXECUTIONS })) ids.add(workflowId);
  const queue = [...ids];
  const seen: Seen[] = [];
  const next = async (): Promise<void> => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const { one, violations } = await lookAt(client, id);
      seen.push(one);
      found.push(...violations.map((violation) => `${id}: ${violation}`));
      if (histories.all || violations.length > 0 || !GOOD_ENDS.includes(one.status))
        await keepHistory(client, id, histories.folder);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return seen;
}

async function lookAt(client: Client, id: string): Promise<{ one: Seen; violations: string[] }> {
  const { status, closeTime } = await client.workflow.getHandle(id).describe();
  const one = { id: executionIdOf(id) ?? id, status: status.name, closedAt: closeTime?.getTime() };
  try {
    const converter = client.options.loadedDataConverter;
    const recorded = await recordedExecution(historyPages(client, id), { converter });
    const violations = wrongIn(recorded);
    const complete = recorded.state.status === 'completed';
    violations.push(...checkTokens(recorded.events, complete));
    if (complete && Object.keys(recorded.state.tokens).length > 0) violations.push('a token is stuck');
    if (JSON.stringify(recorded.events).includes(SECRET)) violations.push('the secret is in its events');
    return { one: { ...one, recorded }, violations };
  } catch (error) {
    return { one, violations: [String(error)] };
  }
}

async function keepHistory(client: Client, id: string, folder: string): Promise<void> {
  const history = await client.workflow.getHandle(id).fetchHistory();
  fs.writeFileSync(path.join(folder, `${id}.json`), historyToJSON(history));
}

interface Keys {
  readonly all: Set<string>;
  /** Of executions that were cancelled: may be there. */
  readonly possible: Set<string>;
}

function expectations(
  submissions: readonly Submission[],
  seen: ReadonlyMap<string, Seen>,
  found: string[],
): { rows: Keys; calls: Keys } {
  const rows: Keys = { all: new Set(), possible: new Set() };
  const calls: Keys = { all: new Set(), possible: new Set() };
  for (const { id, label, program, cancelled } of submissions) {
    const status = seen.get(id)?.status ?? 'LOST';
    const isCancelled = cancelled && status === 'CANCELLED';
    if (status !== 'COMPLETED' && !isCancelled) {
      const reason = seen.get(id)?.recorded?.closed?.reason ?? 'no reason given';
      found.push(`${id} (${program.name} ${label}) is ${status}: ${reason}`);
    }
    const leaves = program.leaves(label);
    for (const key of leaves.rows) (isCancelled ? rows.possible : rows.all).add(key);
    for (const key of leaves.calls) (isCancelled ? calls.possible : calls.all).add(key);
  }
  return { rows, calls };
}

function compareKeys(what: string, actual: ReadonlySet<string>, expected: Keys, found: string[]): void {
  for (const key of expected.all) if (!actual.has(key)) found.push(`${what} ${key} is missing`);
  for (const key of actual)
    if (!expected.all.has(key) && !expected.possible.has(key) && !key.startsWith('scheduled/'))
      found.push(`${what} ${key} should not be there`);
}

/** One execution and one row for each time of the schedule, and no time left out. */
function checkScheduled(seen: readonly Seen[], rows: ReadonlyMap<string, number>, found: string[]): void {
  const times = [...rows.keys()].flatMap((key) =>
    key.startsWith('scheduled/') ? Date.parse(key.slice('scheduled/'.length)) : [],
  );
  const started = seen.filter(({ recorded }) => recorded?.plan.metadata.path === SCHEDULED.path);
  for (const { id, status } of started)
    if (status !== 'COMPLETED') found.push(`${id} (scheduled) is ${status}`);
  if (started.length !== times.length)
    found.push(`the schedule started ${started.length} executions for ${times.length} times`);
  times.sort((a, b) => a - b);
  for (const [index, time] of times.entries()) {
    const before = times[index - 1];
    if (before !== undefined && time - before !== SCHEDULED.everySeconds * 1000)
      found.push(
        `the schedule started nothing between ${new Date(before).toISOString()} and ${new Date(time).toISOString()}`,
      );
  }
}

/** A call is repeated at most once for each fault that may have hidden its answer. */
function checkRepeats(key: string, times: readonly number[], faults: readonly Done[], found: string[]): void {
  const [first, last] = [times[0]!, times.at(-1)!];
  const reasons = faults.filter(
    ({ kind, from, until: to }) => REPEATING.includes(kind) && from <= last && to + NOTICED_MS >= first,
  );
  if (times.length - 1 > reasons.length)
    found.push(`call ${key} came ${times.length} times, with ${reasons.length} faults meanwhile`);
}

async function rowsOf(database: string): Promise<Map<string, number>> {
  const rows = await select<{ key: string; writes: number }>(database, 'SELECT key, writes FROM chaos_rows');
  return new Map(rows.map(({ key, writes }) => [key, writes]));
}

async function checkProjection(database: string, seen: readonly Seen[], found: string[]): Promise<void> {
  let wrong: string[] = [];
  await until(async () => {
    wrong = await projectionDiffers(database, seen);
    return wrong.length === 0;
  }, PROJECTION_LIMIT_MS).catch(() => found.push(...wrong));
}

async function projectionDiffers(database: string, seen: readonly Seen[]): Promise<string[]> {
  const statuses = await select<{ execution_id: string; status: string }>(
    database,
    'SELECT execution_id::text, status FROM noetl.execution',
  );
  const events = await select<{ execution_id: string; ids: string[] }>(
    database,
    'SELECT execution_id::text, array_agg(event_id ORDER BY seq) AS ids FROM noetl.canonical_event WHERE NOT superseded GROUP BY 1',
  );
  const status = new Map(statuses.map((row) => [row.execution_id, row.status]));
  const ids = new Map(events.map((row) => [row.execution_id, row.ids]));
  return seen.flatMap(({ id, status: actual, recorded }) => {
    if (!recorded) return [];
    const told = recorded.events.map(({ event_id }) => event_id);
    const wrong: string[] = [];
    if (status.get(id) !== actual)
      wrong.push(`${id} is ${actual}, in the tables ${status.get(id) ?? 'missing'}`);
    if (JSON.stringify(ids.get(id) ?? []) !== JSON.stringify(told))
      wrong.push(`${id} has ${told.length} events, in the tables ${ids.get(id)?.length ?? 0} or others`);
    return wrong;
  });
}

export async function select<T extends pg.QueryResultRow>(database: string, sql: string): Promise<T[]> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

function countBy<T>(all: readonly T[], keyOf: (one: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of all) counts[keyOf(one)] = (counts[keyOf(one)] ?? 0) + 1;
  return counts;
}
