/** Metrics of a worker's tasks. */
import { type Outcome, type TaskCall } from '../../language/plan';
import { type Meters } from './meters';

/** Seconds: from a lookup to a batch of an hour. */
const DURATIONS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600];
/** Seconds. */
const WAITS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600];

export class TaskMetrics {
  private readonly tasks;
  private readonly failures;
  private readonly retries;
  private readonly durations;
  private readonly waits;
  private readonly lost;

  constructor(meters: Meters) {
    const labels = ['kind'];
    this.tasks = meters.counter({
      name: 'noetl_tasks_total',
      help: 'Tasks that ended here, by kind and outcome (ok, error, cancelled)',
      labels: ['kind', 'outcome'],
    });
    this.failures = meters.counter({
      name: 'noetl_task_failures_total',
      help: 'Tasks that failed here, by kind and code of the error',
      labels: ['kind', 'code'],
    });
    this.retries = meters.counter({
      name: 'noetl_task_retries_total',
      help: 'Tasks that ended here and were tried again by a rule of their playbook',
      labels,
    });
    this.durations = meters.histogram(
      { name: 'noetl_task_duration_seconds', help: 'How long tasks ran', labels },
      DURATIONS,
    );
    this.waits = meters.histogram(
      { name: 'noetl_task_queue_wait_seconds', help: 'How long tasks waited for a worker', labels },
      WAITS,
    );
    this.lost = meters.counter({
      name: 'noetl_log_lines_lost_total',
      help: 'Lines that tasks printed and the storage did not take',
    });
  }

  /** A task was taken from its queue. */
  waited(kind: string, seconds: number): void {
    this.waits({ kind }, Math.max(0, seconds));
  }

  /** @param seconds its duration */
  ended({ kind, attempt }: TaskCall, { status, error }: Outcome, seconds: number): void {
    const outcome = status === 'ok' ? 'ok' : error?.kind === 'cancelled' ? 'cancelled' : 'error';
    this.tasks({ kind, outcome });
    if (outcome === 'error') this.failures({ kind, code: error?.code ?? error?.kind ?? 'unknown' });
    if (attempt > 1) this.retries({ kind });
    this.durations({ kind }, seconds);
  }

  linesLost(count: number): void {
    this.lost({}, count);
  }
}
