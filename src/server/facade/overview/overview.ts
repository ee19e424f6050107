/** The overview: what is wrong now, how runs do, what starts when. Its cost does not grow with what has ever run. */
import { type Client, type ScheduleSummary } from '@temporalio/client';
import { type z } from 'zod';
import { listSchedules } from '../../../temporal/client';
import { type Database } from '../../store';
import { type overviewSchema, PROBLEM_KINDS } from '../documents/operations';
import { scheduleDocument } from '../schedules/describe';
import { type Around, problemsFor } from './checks';
import { recentRuns, type RecentRuns, type RunSources } from './recent';
import { bucketsOf, statisticsOf } from './statistics';
import { type TablesStand, tablesStand } from './tables';

type Overview = z.input<typeof overviewSchema>;

interface Services {
  readonly client: Client;
  /** Undefined: none is known. */
  readonly database?: Pick<Database, 'rows'> | undefined;
}

const MOST_STARTS = 500;
const MOST_SCHEDULES = 1_000;
/** Behind that much, Temporal's list says more than the tables. */
const FOLLOWS_MS = 60_000;
/** Pages that stay open share what was found. */
const FRESH_MS = 5_000;

/** Where runs are read: the tables, if they follow. */
export async function sourcesOf(
  { client, database }: Services,
  now: number,
): Promise<RunSources & { readonly tables: TablesStand | undefined }> {
  const tables = database && (await tablesStand(client, database, now));
  return { client, database: tables && tables.behind <= FOLLOWS_MS ? database : undefined, tables };
}

const kept = new WeakMap<Client, Map<number, { readonly at: number; readonly answer: Promise<Overview> }>>();

/** @param hours back, and ahead */
export function overviewOf(services: Services, hours: number): Promise<Overview> {
  const own = kept.get(services.client) ?? new Map<number, { at: number; answer: Promise<Overview> }>();
  kept.set(services.client, own);
  const before = own.get(hours);
  if (before && performance.now() - before.at < FRESH_MS) return before.answer;
  const answer = overviewAt(services, hours, Date.now());
  own.set(hours, { at: performance.now(), answer });
  answer.catch(() => own.delete(hours));
  return answer;
}

async function overviewAt(services: Services, hours: number, now: number): Promise<Overview> {
  const span = hours * 3_600_000;
  const since = now - span;
  const [sources, schedules] = await Promise.all([
    sourcesOf(services, now),
    listSchedules(services.client, { limit: MOST_SCHEDULES }),
  ]);
  const recent = await recentRuns(sources, { since });
  const around: Around = { ...sources, ...{ now, since, recent, schedules, store: services.database } };
  const answers = await Promise.all(PROBLEM_KINDS.map((kind) => problemsFor(kind, around)));
  const problems = answers.flatMap((one) => (Array.isArray(one) ? one : []));
  return {
    ok: !problems.some(({ wrong }) => wrong),
    at: new Date(now).toISOString(),
    problems,
    unknown: answers.flatMap((one) => (Array.isArray(one) ? [] : [one])),
    runs: statisticsOf(recent),
    buckets: bucketsOf(recent, since, now),
    starts: [...startsOf(recent, since), ...nextStarts(schedules, now + span)],
  };
}

function startsOf({ runs }: RecentRuns, since: number): Overview['starts'] {
  return runs
    .filter(({ start }) => start >= since)
    .slice(0, MOST_STARTS)
    .map(({ start, path, id, status, schedule = null }) => ({
      ...{ at: new Date(start).toISOString(), path, execution_id: id, status, schedule },
    }))
    .reverse();
}

/** As far as Temporal says them: the next ten of each. */
function nextStarts(schedules: readonly ScheduleSummary[], until: number): Overview['starts'] {
  return schedules
    .map((one) => scheduleDocument(one))
    .filter(({ paused }) => !paused)
    .flatMap(({ name, path, next }) =>
      next
        .filter((at) => Date.parse(at) <= until)
        .map((at) => ({ at, path, execution_id: null, status: null, schedule: name })),
    )
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, MOST_STARTS);
}
