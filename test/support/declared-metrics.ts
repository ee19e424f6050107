/** The metrics of all processes, with their labels: what each declares to Prometheus when it begins. */
import { measureDeliveries } from '../../src/server/notifications/notifier';
import { measuredSink, measureFailing } from '../../src/server/projection/measured';
import { measureExecutions, measureTables } from '../../src/server/facade/executions/measured';
import { Metrics } from '../../src/server/facade/http/metrics';
import { routesOf } from '../../src/server/facade/routes';
import { Meters, TaskMetrics } from '../../src/telemetry/metrics';

const FORMS = ['counter', 'gauge', 'histogram'] as const;

/** Nobody reads them, so that they ask nothing of what they are given. */
function declareAll(): void {
  const nothing = {} as never;
  const meters = new Meters();
  const metrics = new Metrics();
  const triggers = { store: {} };
  routesOf({ client: { options: {} }, database: {}, metrics, triggers, version: '' } as never);
  measureExecutions(metrics.meters, nothing);
  measureTables(metrics.meters, nothing);
  measuredSink({ name: '', close: nothing, take: nothing }, meters);
  measureFailing(meters, () => []);
  measureDeliveries(meters, nothing);
  new TaskMetrics(meters);
}

/** By name, its labels. */
export function declaredMetrics(): Record<string, Record<string, true>> {
  const spies = FORMS.map((form) => jest.spyOn(Meters.prototype, form));
  try {
    declareAll();
    const declared = spies.flatMap(({ mock }) => mock.calls.map(([metric]) => metric));
    const all = declared.map(({ name, labels = [] }): [string, Record<string, true>] => [
      name,
      Object.fromEntries([...labels].sort().map((label) => [label, true])),
    ]);
    return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
