/** What the facade counts, for Prometheus. */
import { type RequestHandler } from 'express';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** Seconds: from a read of the database to a long history. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export class Metrics {
  readonly registry = new Registry();
  private readonly durations: Histogram;
  private readonly started: Counter;

  /** @param more text in Prometheus' format from elsewhere: the Temporal SDK's own metrics */
  constructor(private readonly more: () => Promise<string> = () => Promise.resolve('')) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.durations = new Histogram({
      name: 'noetl_http_request_duration_seconds',
      help: 'Duration of requests, by route pattern',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers,
    });
    this.started = new Counter({
      name: 'noetl_executions_started_total',
      help: 'Executions that this process started in Temporal',
      registers,
    });
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  /** Everything, in Prometheus' text format. */
  async text(): Promise<string> {
    const [own, more] = await Promise.all([this.registry.metrics(), this.more()]);
    return more === '' ? own : `${own.trimEnd()}\n${more}`;
  }

  executionStarted(): void {
    this.started.inc();
  }

  /** Times every request. The label is the route's pattern, never a path: ids would make a series each. */
  readonly timing: RequestHandler = (request, response, next) => {
    const end = this.durations.startTimer({ method: request.method });
    response.once('close', () => {
      const route = (response.locals['route'] as string | undefined) ?? 'none';
      end({ route, status: String(response.statusCode) });
    });
    next();
  };
}
