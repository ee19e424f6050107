/**
 * One execution of an activity, as its heartbeats tell it to the next one, should its worker be lost. Only what is known
 * to have happened before the task began is free; silence counts as begun (docs/design/delivery.md#lost-workers).
 *
 * A task begins without a word unless it had to wait. The SDK's heartbeats are throttled, and return before they are
 * sent: none of them says that the task waits, because it could arrive after the task began. That is said by calls of
 * our own, one after the other, each acknowledged; so is the beginning, before anything of the task happens. If the fate of
 * one of these calls is unknown, the task does not begin here: Temporal gets it back.
 */
import { ApplicationFailure } from '@temporalio/common';
import {
  compact,
  isMapping,
  type Json,
  type JsonObject,
  MAX_BEGUN,
  MAX_FREE,
  type TaskStanding,
} from '../../../src/language/plan';
import { ToolError } from '../tool/outcome';

/** The parts of Temporal's activity context that the adapter uses; tests pass a stand-in. */
export interface ActivityPort {
  readonly cancellationSignal: AbortSignal;
  /** Rejects with Temporal's `CancelledFailure` when the task must stop. */
  readonly cancelled: Promise<never>;
  /** Throttled, and not awaited. */
  heartbeat(details?: unknown): void;
  /**
   * A heartbeat of its own; resolves when Temporal has it, with whether the task must stop. Without it, a task never says
   * that it waits.
   */
  readonly tell?: (details: unknown) => Promise<{ readonly stop: boolean }>;
  readonly info?: {
    /** 1-based. */
    readonly attempt?: number;
    /** Last heartbeat of the previous executions of the activity, whose workers were lost. */
    readonly heartbeatDetails?: unknown;
  };
}

/** A shorter wait is not told: telling costs a call, and another one before the task begins. */
const TELL_AFTER_MS = 250;
const TELL_INTERVAL_MS = 1000;
/** Longest wait for Temporal to acknowledge a heartbeat. */
const ACKNOWLEDGED_WITHIN_MS = 5000;
/** The SDK gives an activity up that lets it send no heartbeat for the heartbeat timeout (10 s). */
const SDK_INTERVAL_MS = 5000;

/** The code of the error that ends a task which is handed back; nobody sees it. */
const HANDED_BACK = 'NOT_BEGUN';

export class Attempt {
  private details: JsonObject;
  /** Earlier executions that do not count. */
  private readonly free: number;
  /** Earlier executions that began, as far as is known. */
  private readonly begun: number;
  private telling: Promise<void> | undefined;
  private isUnsure = false;
  private sdkTold = performance.now();
  private isHandedBack = false;
  private hasBegun = false;

  constructor(
    private readonly port: ActivityPort,
    task: string,
  ) {
    const { attempt = 1, heartbeatDetails } = port.info ?? {};
    const before = isMapping(heartbeatDetails) ? heartbeatDetails : {};
    const free = typeof before['free'] === 'number' ? before['free'] : 0;
    // An execution that sent nothing left the heartbeat of an earlier one: it is not that one's standing which counts.
    this.free = before['standing'] === undefined ? free : free + 1;
    this.begun = attempt - 1 - this.free;
    // What a tool told stays told until it tells something else.
    const details = before['details'] as Json | undefined;
    this.details = { task, ...compact({ details }) };
  }

  /** The task must not run again: workers were lost with it too often. */
  get isExhausted(): boolean {
    return this.begun >= MAX_BEGUN || this.free > MAX_FREE;
  }

  /** What the tool told in the previous executions. */
  get lastHeartbeat(): Json | undefined {
    return this.details['details'];
  }

  /** Tells Temporal that the worker lives, and learns of a cancellation. */
  beat(): void {
    if (this.telling && performance.now() - this.sdkTold < SDK_INTERVAL_MS) return;
    this.sdkTold = performance.now();
    this.port.heartbeat(this.as());
  }

  say(details: Json): void {
    this.details = { ...this.details, details };
    this.beat();
  }

  /**
   * Waits for a resource of this machine that the task needs before it begins.
   *
   * @param resource must reject when the task is stopped
   * @param giveBack releases the resource if the task may not begin
   * @throws what `resource` rejects with; an error after which `handedBack` is set
   */
  async waitFor<T>(resource: Promise<T>, giveBack: (resource: T) => void = () => undefined): Promise<T> {
    if (this.hasBegun || !this.port.tell) return resource;
    const over = new AbortController();
    void this.tellWaiting(over.signal);
    let value: T;
    try {
      value = await resource;
    } finally {
      over.abort();
    }
    if (await this.mayBegin()) return value;
    giveBack(value);
    this.isHandedBack = true;
    throw new ToolError({ kind: 'worker_lost', code: HANDED_BACK, message: 'the task was handed back' });
  }

  /** @throws ApplicationFailure that gives the task back to Temporal, if it was not allowed to begin */
  throwIfHandedBack(): void {
    if (!this.isHandedBack) return;
    // Nothing begins any more, so the SDK's last heartbeat, which goes with the failure, may say it.
    this.port.heartbeat(this.as('waiting'));
    throw givenBack(
      'the task waited on its worker, and could not tell Temporal that it begins',
      'TaskWaiting',
    );
  }

  /** The failure of a task that is stopped because its worker must shut down. */
  stopped(): ApplicationFailure {
    this.port.heartbeat(this.as('stopped'));
    return workerStopping();
  }

  /** Whether Temporal knows that the task begins: a loss from now on counts. */
  private async mayBegin(): Promise<boolean> {
    await this.telling;
    if (this.telling && !this.isUnsure) await this.tell();
    this.telling = undefined;
    this.hasBegun = true;
    return !this.isUnsure;
  }

  private async tellWaiting(over: AbortSignal): Promise<void> {
    for (let ms = TELL_AFTER_MS; (await passed(ms, over)) && !over.aborted; ms = TELL_INTERVAL_MS) {
      this.telling = this.tell('waiting');
      await this.telling;
    }
  }

  private async tell(standing?: TaskStanding): Promise<void> {
    const late = new AbortController();
    try {
      const limit = passed(ACKNOWLEDGED_WITHIN_MS, late.signal);
      const reply = await Promise.race([this.port.tell!(this.as(standing)), limit.then(() => undefined)]);
      this.isUnsure ||= reply === undefined;
      // The reason comes with the SDK's own heartbeats only.
      if (reply?.stop) this.port.heartbeat(this.as());
    } catch {
      this.isUnsure = true;
    } finally {
      late.abort();
    }
  }

  private as(standing?: TaskStanding): JsonObject {
    return {
      ...this.details,
      ...(this.free > 0 && { free: this.free }),
      ...(standing && { standing }),
    };
  }
}

/** Resolves after the time, or with false as soon as the signal is aborted. */
function passed(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** The task did nothing wrong, its worker shut down. */
export function workerStopping(): ApplicationFailure {
  return givenBack('the worker is shutting down', 'WorkerShutdown');
}

/** The only failures that Temporal retries. */
function givenBack(message: string, type: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type, nonRetryable: false });
}
