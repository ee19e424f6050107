/** Metrics of all executions, from Temporal at each scrape; the same from every facade. */
import { type Client } from '@temporalio/client';
import { cached, type Meters } from '../../metrics';
import { countVisible, EXECUTIONS, schedulesLate } from '../../temporal';

/** Several scrapers cause only one query to Temporal. */
const FRESH_MS = 10_000;

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
}
