/**
 * State of one attempt of an activity, passed to the next attempt in the heartbeat details if the worker is lost. An
 * attempt is free only if it is known to have ended before the task began; without a report it counts as begun
 * (docs/design/delivery.md#lost-workers).
 *
 * A task reports its start only if it had to wait. The SDK's heartbeats are throttled and not awaited, so a "waiting" sent by
 * them could arrive after the task began. "Waiting" and "started" are therefore sent by separate, serialized calls that
 * Temporal acknowledges, "started" before the task does anything. If the outcome of one of these calls is unknown, the
 * task does not start here and is returned to Temporal.
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
   * Sends a separate heartbeat; resolves when Temporal has acknowledged it, with whether the task must stop. If absent,
   * tasks never report that they wait.
   */
  readonly tell?: (details: unknown) => Promise<{ readonly stop: boolean }>;
  readonly info?: {
    /** 1-based. */
    readonly attempt?: number;
    /** Details of the last heartbeat of the previous attempts, whose workers were lost. */
    readonly heartbeatDetails?: unknown;
  };
}

/** Shorter waits are not reported: a report is an RPC, and requires another one before the task starts. */
const TELL_AFTER_MS = 250;
const TELL_INTERVAL_MS = 1000;
/** Longest wait for Temporal to acknowledge a heartbeat. */
const ACKNOWLEDGED_WITHIN_MS = 5000;
/** The SDK fails an activity that sends no heartbeat through it within the heartbeat timeout (10 s). */
const SDK_INTERVAL_MS = 5000;

/** Internal code of the error that ends a task that is returned to Temporal; never shown to users. */
const HANDED_BACK = 'NOT_BEGUN';

export class Attempt {
  private details: JsonObject;
  /** Previous attempts that do not count. */
  private readonly free: number;
  /** Previous attempts that began, or may have. */
  private readonly begun: number;
  private telling: Promise<void> | undefined;
  private isUnsure = false;
  private sdkTold = performance.now();
  private isHandedBack = false;
  private hasBegun = false;

  constructor(
    private readonly port: ActivityPort,
    task: string,
    /** It will record something: until then, the SDK sends only what keeps it alive, which could arrive later. */
    private isToRecord = false,
  ) {
    const { attempt = 1, heartbeatDetails } = port.info ?? {};
    const before = isMapping(heartbeatDetails) ? heartbeatDetails : {};
    const free = typeof before['free'] === 'number' ? before['free'] : 0;
    // An attempt without heartbeats leaves the details of an earlier one in place, whose standing does not apply to it.
    this.free = before['standing'] === undefined ? free : free + 1;
    this.begun = attempt - 1 - this.free;
    // The tool's last details are resent until it reports new ones.
    const details = before['details'] as Json | undefined;
    this.details = { task, ...compact({ details }) };
  }

  /** Whether the task must not run again because too many workers were lost while running it. */
  get isExhausted(): boolean {
    return this.begun >= MAX_BEGUN || this.free > MAX_FREE;
  }

  /** Details reported by the tool in previous attempts. */
  get lastHeartbeat(): Json | undefined {
    return this.details['details'];
  }

  /** Reports to Temporal that the worker is alive; the response carries a cancellation, if any. */
  beat(): void {
    const isQuiet = this.telling !== undefined || this.isToRecord;
    if (isQuiet && performance.now() - this.sdkTold < SDK_INTERVAL_MS) return;
    this.sdkTold = performance.now();
    this.port.heartbeat(this.as());
  }

  say(details: Json): void {
    this.details = { ...this.details, details };
    this.beat();
  }

  /**
   * Waits for a local resource that the task needs before it starts.
   *
   * @param resource must reject when the task is stopped
   * @param giveBack releases the resource if the task may not start
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
    return this.handBack();
  }

  /**
   * Reports details that the next attempt must know, before something happens that it could not find out.
   *
   * @throws an error after which `handedBack` is set if Temporal may not have them
   */
  async record(details: Json): Promise<void> {
    await this.telling;
    this.isToRecord = false;
    this.say(details);
    if (this.port.tell) await this.tell();
    if (this.isUnsure) this.handBack();
  }

  /** Gives the task back to Temporal. @throws the error that ends it here */
  handBack(): never {
    this.isHandedBack = true;
    throw new ToolError({ kind: 'worker_lost', code: HANDED_BACK, message: 'the task was handed back' });
  }

  /** @throws ApplicationFailure that returns the task to Temporal if it was not allowed to start */
  throwIfHandedBack(): void {
    if (!this.isHandedBack) return;
    // Nothing starts from here on, so the SDK's last heartbeat, which is sent with the failure, can report it.
    this.port.heartbeat(this.as('waiting'));
    throw givenBack(
      'the task waited on its worker, and could not tell Temporal that it begins',
      'TaskWaiting',
    );
  }

  /** The failure of a task that is stopped because its worker is shutting down. */
  stopped(): ApplicationFailure {
    this.port.heartbeat(this.as('stopped'));
    return workerStopping();
  }

  /** Whether Temporal has acknowledged the start; from then on, the loss of the worker counts. */
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
      // Only the SDK's own heartbeats deliver the reason.
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

/** Resolves with true after the given time, or with false as soon as the signal is aborted. */
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

/** The task itself did not fail; its worker is shutting down. */
export function workerStopping(): ApplicationFailure {
  return givenBack('the worker is shutting down', 'WorkerShutdown');
}

/** The only kind of failure that Temporal retries. */
function givenBack(message: string, type: string): ApplicationFailure {
  return ApplicationFailure.create({ message, type, nonRetryable: false });
}
