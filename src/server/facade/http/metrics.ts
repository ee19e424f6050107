/** Prometheus metrics of the facade. */
import { type Labels, Meters } from '../../../telemetry/metrics';
import { type Middleware } from './middleware';

/** Seconds: from a read of the database to a long history. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export class Metrics {
  readonly meters = new Meters().process();
  private readonly durations: (labels: Labels, value: number) => void;
  private readonly started: () => void;

  constructor() {
    this.durations = this.meters.histogram(
      {
        name: 'noetl_http_request_duration_seconds',
        help: 'Duration of requests, by route pattern',
        labels: ['method', 'route', 'status'],
      },
      BUCKETS,
    );
    this.started = this.meters.counter({
      name: 'noetl_executions_started_total',
      help: 'Executions that this process started in Temporal',
    });
  }

  readonly contentType = this.meters.contentType;

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.meters.text();
  }

  executionStarted(): void {
    this.started();
  }

  /** Measures every request. The label is the route's pattern, not the path: ids would create a series each. */
  readonly timing: Middleware = (request, response, next) => {
    const began = performance.now();
    response.once('close', () => {
      const route = (response.locals['route'] as string | undefined) ?? 'none';
      const labels = { method: request.method ?? '', route, status: String(response.statusCode) };
      this.durations(labels, (performance.now() - began) / 1000);
    });
    next();
  };
}
