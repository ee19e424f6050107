/** Metrics of all executions, from Temporal and from the tables at each scrape; the same from every facade. */
import { type Client } from '@temporalio/client';
import { cached, type Labels, type Meters } from '../../../telemetry/metrics';
import { DEFAULT_POOL, groupBy } from '../../../language/plan';
import { type Queue, queues } from '../workers/queues';
import { countVisible, EXECUTIONS, failedStarts, latenessOf, schedulesDue } from '../../../temporal/client';
import { type Database } from '../../store';

/** Several scrapers cause only one query to Temporal. */
const FRESH_MS = 10_000;
const FAILED_SINCE_MS = 3_600_000;
const MOST_FAILED = 1_000;

export function measureExecutions(meters: Meters, client: Client): void {
  const open = cached(FRESH_MS, () => countVisible(client, `${EXECUTIONS} AND ExecutionStatus = 'Running'`));
  meters.gauge(
    { name: 'noetl_executions_open', help: 'Executions of the namespace that have begun and not ended' },
    async () => [{ value: (await open()).count }],
  );
  measureSchedules(meters, client);
  measureQueues(meters, client);
}

function measureSchedules(meters: Meters, client: Client): void {
  const labels = ['schedule', 'playbook'];
  const all = cached(FRESH_MS, () => schedulesDue(client, Date.now()));
  meters.gauge(
    {
      name: 'noetl_schedule_lateness_seconds',
      help: 'How long what a schedule is to start is overdue; 0: it is on time',
      labels,
    },
    async () =>
      [...(await all())].map(([schedule, one]) => ({
        labels: { schedule, playbook: one.path },
        value: latenessOf(one, Date.now()),
      })),
  );
  const failures = (name: string, help: string, withExecution: boolean): void => {
    const failed = cached(FRESH_MS, () =>
      failedStarts(client, Date.now() - FAILED_SINCE_MS, MOST_FAILED, withExecution),
    );
    meters.gauge({ name, help, labels }, async () => {
      const schedules = await all();
      return [...groupBy(await failed(), (one) => one.schedule)].map(([schedule, { length }]) => ({
        labels: { schedule, playbook: schedules.get(schedule)?.path ?? '' },
        value: length,
      }));
    });
  };
  const starts = 'Starts of a schedule that failed in the last hour before there was an execution';
  failures('noetl_schedule_failed_starts', starts, false);
  const executions = 'Executions of a schedule that failed in the last hour';
  failures('noetl_schedule_failed_executions', executions, true);
}

/** Workers count what they take: what nobody takes can be seen here only. */
function measureQueues(meters: Meters, client: Client): void {
  const look = cached(FRESH_MS, () => queues(client));
  const labels = ['kind', 'pool'];
  const each = (value: (queue: Queue) => number) => async () =>
    (await look()).map((queue) => ({
      labels: { kind: queue.kind, pool: queue.pool ?? DEFAULT_POOL },
      value: value(queue),
    }));
  meters.gauge(
    { name: 'noetl_task_queue_backlog', help: 'Tasks that wait for a worker, about', labels },
    each(({ backlog }) => backlog),
  );
  meters.gauge(
    {
      name: 'noetl_task_queue_backlog_age_seconds',
      help: 'How long the oldest task that waits for a worker has waited',
      labels,
    },
    each(({ backlog, backlogAge }) => (backlog > 0 ? backlogAge : 0)),
  );
  meters.gauge(
    {
      name: 'noetl_task_queue_pollers',
      help: 'Workers of a queue that live; 0 if none has given a sign of life for 65 s',
      labels,
    },
    each(({ isServed, pollers }) => (isServed ? Math.max(1, pollers.size) : 0)),
  );
}

/** What the tables have a value for, with its label. */
interface Standing {
  readonly of?: string;
  readonly value: number;
}

/** What other processes are to do: when they are gone, they cannot tell. */
const STANDINGS: readonly (readonly [
  name: string,
  help: string,
  label: string | undefined,
  query: string,
])[] = [
  [
    'noetl_notifications_overdue_seconds',
    'How long the oldest notification that is due has not been sent',
    undefined,
    `SELECT coalesce(extract(epoch FROM now() - min(next_at)), 0)::float8 AS value
     FROM noetl.notification WHERE status = 'pending' AND next_at <= now() AND NOT target ? 'trigger'`,
  ],
  [
    'noetl_projection_silence_seconds',
    'How long ago a projection last searched for what a sink lacks, or took it; not of a sink without one for a week',
    'sink',
    `SELECT sink AS of, extract(epoch FROM now() - looked_at)::float8 AS value
     FROM noetl.sink WHERE looked_at > now() - interval '7 days'`,
  ],
];

export function measureTables(meters: Meters, { rows }: Pick<Database, 'rows'>): void {
  for (const [name, help, label, query] of STANDINGS) {
    const standing = cached(FRESH_MS, () => rows<Standing>(query, []));
    const labelsOf = (of = ''): Labels => (label === undefined ? {} : { [label]: of });
    meters.gauge({ name, help, labels: Object.keys(labelsOf()) }, async () =>
      (await standing()).map(({ of, value }) => ({ labels: labelsOf(of), value })),
    );
  }
}
