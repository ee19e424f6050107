/** Metrics of all executions, from Temporal at each scrape; the same from every facade. */
import { type Client } from '@temporalio/client';
import { cached, type Meters } from '../../../telemetry/metrics';
import { DEFAULT_POOL, groupBy } from '../../../language/plan';
import { type Queue, queues } from '../workers/queues';
import { countVisible, EXECUTIONS, failedStarts, schedulesLate } from '../../../temporal/client';

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
  const late = cached(FRESH_MS, () => schedulesLate(client, Date.now()));
  meters.gauge(
    {
      name: 'noetl_schedule_lateness_seconds',
      help: 'How long what a schedule is to start is overdue; 0: it is on time',
      labels: ['schedule'],
    },
    async () => [...(await late())].map(([schedule, value]) => ({ labels: { schedule }, value })),
  );
  const failed = cached(FRESH_MS, () => failedStarts(client, Date.now() - FAILED_SINCE_MS, MOST_FAILED));
  meters.gauge(
    {
      name: 'noetl_schedule_failed_starts',
      help: 'Starts of a schedule that failed in the last hour before there was an execution',
      labels: ['schedule'],
    },
    async () =>
      [...groupBy(await failed(), (one) => one.schedule)].map(([schedule, { length }]) => ({
        labels: { schedule },
        value: length,
      })),
  );
  measureQueues(meters, client);
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
