/** What comes from outside: events for tasks that wait, pause, resume, cancel, variables (docs/waiting.md). */
import { Gate, type Flow, type Process } from './clock';
import { type Dict } from './document';
import { type Execution } from './run';
import { type Outcome } from './values';

/** A message, and its time in milliseconds after the start. */
export interface Message {
  readonly at: number;
  readonly event?: ExternalEvent;
  readonly set?: Dict;
  readonly control?: 'pause' | 'resume' | 'cancel';
}

export interface ExternalEvent {
  readonly name: string;
  readonly payload: unknown;
  readonly id?: string;
}

interface Wait {
  readonly name: string;
  readonly accepts: (event: ExternalEvent) => boolean;
  readonly gate: Gate;
  taken: ExternalEvent | undefined;
}

export class Outside {
  private readonly kept: ExternalEvent[] = [];
  private readonly waits: Wait[] = [];
  private readonly seen = new Set<string>();
  /** Events that tasks began to wait for, and when; and what else has no order at one moment. */
  readonly begun: string[] = [];
  isPaused = false;
  private readonly resumed = new Gate();

  constructor(
    private readonly execution: Execution,
    private readonly messages: readonly Message[],
  ) {}

  /** The messages begin their way. */
  arrive(): void {
    const { clock } = this.execution;
    for (const message of this.messages) {
      const act = (): void => this.take(message);
      clock.start(
        (function* (): Flow<void> {
          yield { until: message.at };
          act();
        })(),
      );
    }
  }

  /** No new task starts while the execution is paused; those that run finish. */
  *unpaused(): Flow<void> {
    while (this.isPaused) yield this.resumed;
  }

  private take({ event, set, control }: Message): void {
    const { execution } = this;
    if (event) this.send(event);
    if (set) Object.assign(execution.ctx, set);
    if (control === 'cancel') execution.cancel();
    else if (control) this.isPaused = control === 'pause';
    if (control !== 'resume') return;
    execution.clock.open(this.resumed);
    execution.goOn();
  }

  /** To the oldest wait that it matches; otherwise it is kept. An id counts once. */
  private send(event: ExternalEvent): void {
    if (event.id !== undefined && this.seen.has(event.id)) return;
    if (event.id !== undefined) this.seen.add(event.id);
    const wait = this.waits.find(
      ({ name, accepts, taken }) => !taken && name === event.name && accepts(event),
    );
    if (!wait) {
      this.kept.push(event);
      return;
    }
    wait.taken = event;
    this.execution.clock.open(wait.gate);
  }

  /** A task waits for an event, which may have come before it. */
  *wait(name: string, accepts: Wait['accepts'], timeout: number | undefined): Flow<Outcome> {
    const { clock } = this.execution;
    const early = this.kept.findIndex((event) => event.name === name && accepts(event));
    if (early >= 0) return gives(this.kept.splice(early, 1)[0]!);
    const wait: Wait = { name, accepts, gate: new Gate(), taken: undefined };
    this.waits.push(wait);
    this.begun.push(`${name} ${clock.now}`);
    const remove = (): void => void this.waits.splice(this.waits.indexOf(wait), 1);
    let timer: Process | undefined;
    if (timeout !== undefined) {
      timer = clock.start(
        (function* (until: number): Flow<void> {
          yield { until };
          if (wait.taken) return;
          remove();
          clock.open(wait.gate);
        })(clock.now + timeout),
      );
    }
    try {
      yield wait.gate;
    } finally {
      if (timer) clock.stop(timer);
      if (this.waits.includes(wait)) remove();
    }
    return wait.taken ? gives(wait.taken) : LATE;
  }
}

const gives = ({ payload }: ExternalEvent): Outcome => ({ status: 'ok', result: payload, error: null });
const LATE: Outcome = {
  status: 'error',
  result: null,
  error: { kind: 'timeout', code: 'WAIT_TIMEOUT', retryable: true },
};
