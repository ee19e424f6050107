/** How one playbook does, and when each was last run and is run next. */
import { isMapping, type JsonObject } from '../../../language/plan';
import { type z } from 'zod';
import { listSchedules } from '../../../temporal/client';
import { type CatalogEntry, type Database } from '../../store';
import { type playbookActivity, type playbookOverview } from '../documents/operations';
import { scheduleDocument } from '../schedules/describe';
import { type RouteServices } from '../services';
import { sourcesOf } from './overview';
import { recentRuns } from './recent';
import { statisticsOf } from './statistics';

type Overview = z.input<typeof playbookOverview>;
type Activity = z.input<typeof playbookActivity>;
type Tables = Pick<Database, 'rows'>;

const RUNS_MS = 30 * 86_400_000;
const STEPS_OF = 100;
const MOST_SCHEDULES = 1_000;
/** Subscriptions whose documents are looked at. */
const MOST_TRIGGERS = 200;
/** Keys of `executor.spec` that say when and how many may run. */
const LIMITS = ['concurrency', 'debounce', 'rate_limit', 'deadline', 'timeout', 'priority', 'fairness'];

export async function playbookOverviewOf(
  services: RouteServices,
  entry: CatalogEntry,
  caller: string,
): Promise<Overview> {
  const { path, version, payload } = entry;
  const now = Date.now();
  const sources = await sourcesOf(services, now);
  const [recent, plan, schedules, subscriptions] = await Promise.all([
    recentRuns(sources, { since: now - RUNS_MS, path }),
    services.library.planOf(entry, caller),
    schedulesOf(services, path),
    subscriptionsOf(services, path),
  ]);
  const steps =
    sources.database && (await stepsOf(sources.database, services.client.options.namespace, path));
  const { description = null, owner = null } = mappingAt(payload, 'metadata');
  const spec = mappingAt(payload, 'executor', 'spec');
  return {
    ...{
      path,
      version,
      description: text(description),
      owner: text(owner),
      on: plan.on ? { ...plan.on } : null,
    },
    limits: Object.fromEntries(LIMITS.flatMap((key) => (spec[key] === undefined ? [] : [[key, spec[key]]]))),
    runs: statisticsOf(recent),
    steps: steps
      ? plan.steps.map(
          ({ name }) =>
            steps.get(name) ?? { step: name, runs: 0, failed: 0, p50: null, p95: null, longest: null },
        )
      : null,
    ...{ schedules, subscriptions },
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function mappingAt(document: JsonObject, ...keys: readonly string[]): JsonObject {
  let at: unknown = document;
  for (const key of keys) at = isMapping(at) ? at[key] : undefined;
  return isMapping(at) ? (at as JsonObject) : {};
}

async function schedulesOf(
  { client }: Pick<RouteServices, 'client'>,
  path: string,
): Promise<Overview['schedules']> {
  const all = (await listSchedules(client, { limit: MOST_SCHEDULES })).map((one) => scheduleDocument(one));
  return all
    .filter((one) => one.path === path)
    .map(({ name, paused, next: [next = null], last }) => ({
      name,
      paused,
      next: paused ? null : next,
      last,
    }));
}

async function subscriptionsOf(
  { triggers }: RouteServices,
  path: string,
): Promise<Overview['subscriptions']> {
  const rows = (await triggers.store.list())
    .filter(({ state }) => state !== 'DEACTIVATED')
    .slice(0, MOST_TRIGGERS);
  const all = await Promise.all(
    rows.map(async (row) => {
      const plan = await triggers.planOf(row.path).then(
        (entry) => entry.plan,
        () => undefined,
      );
      const { playbook: starts } = plan?.dispatch ?? { playbook: '' };
      const isWatched =
        plan?.source === 'playbook' && JSON.stringify(plan.connection).includes(JSON.stringify(path));
      return starts === path || isWatched ? [{ path: row.path, state: row.state, starts }] : [];
    }),
  );
  return all.flat();
}

type StepRow = NonNullable<Overview['steps']>[number];

async function stepsOf(
  { rows }: Tables,
  namespace: string,
  path: string,
): Promise<ReadonlyMap<string, StepRow>> {
  const all = await rows<StepRow>(
    `SELECT node_name AS step, count(*)::integer AS runs, (count(*) FILTER (WHERE event_type = 'step.failed'))::integer AS failed,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY duration) / 1000 AS p50,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY duration) / 1000 AS p95, max(duration) / 1000 AS longest
     FROM noetl.canonical_event
     WHERE event_type IN ('step.done', 'step.failed') AND NOT superseded AND execution_id IN (
       SELECT execution_id FROM noetl.execution WHERE namespace = $1 AND path = $2 AND start_time IS NOT NULL ORDER BY start_time DESC LIMIT ${STEPS_OF})
     GROUP BY node_name`,
    [namespace, path],
  );
  return new Map(all.map((row) => [row.step, row]));
}

interface LastRow {
  readonly path: string;
  readonly execution_id: string;
  readonly status: string;
  readonly at: Date;
}

const MOST_PATHS = 2_000;

/** Of every playbook of the catalog that ran or will run. */
export async function activityOf(services: Pick<RouteServices, 'client' | 'database'>): Promise<Activity[]> {
  const sources = await sourcesOf(services, Date.now());
  const [last, schedules] = await Promise.all([
    sources.database
      ? lastInTables(sources.database, services.client.options.namespace)
      : recentRuns(sources, { since: 0 }).then(({ runs }) =>
          [...runs]
            .reverse()
            .map((run): LastRow => ({ ...run, execution_id: run.id, at: new Date(run.start) })),
        ),
    listSchedules(services.client, { limit: MOST_SCHEDULES }),
  ]);
  const byPath = new Map<string, Activity>();
  for (const { path, execution_id, status, at } of last)
    byPath.set(path, { path, last: { execution_id, status, at: at.toISOString() }, next: null });
  for (const {
    path,
    name,
    paused,
    next: [at],
  } of schedules.map((one) => scheduleDocument(one))) {
    const before = byPath.get(path) ?? { path, last: null, next: null };
    if (at !== undefined && !paused && !(before.next && before.next.at <= at))
      byPath.set(path, { ...before, next: { schedule: name, at } });
  }
  return [...byPath.values()];
}

/** One look into an index for each path. */
async function lastInTables({ rows }: Tables, namespace: string): Promise<LastRow[]> {
  return await rows<LastRow>(
    `SELECT p.path, e.execution_id::text, e.status, e.start_time AS at FROM noetl.catalog_path p
     CROSS JOIN LATERAL (SELECT execution_id, status, start_time FROM noetl.execution
       WHERE path = p.path AND namespace = $1 AND start_time IS NOT NULL ORDER BY start_time DESC LIMIT 1) e
     WHERE p.latest_version IS NOT NULL LIMIT ${MOST_PATHS}`,
    [namespace],
  );
}
