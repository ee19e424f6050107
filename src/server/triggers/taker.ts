/** Takes the messages of one trigger in one process, until it is stopped: in hand are never more than it may have. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../language/errors';
import { type KnownTrigger } from '../../language/plan';
import { type Dispatcher } from './dispatcher';
import { type OpenSource, type SourceMessage } from './source';
import { MessagePace } from './pace';

export interface TakerOptions {
  readonly trigger: KnownTrigger;
  readonly open: (signal: AbortSignal) => Promise<OpenSource>;
  readonly dispatcher: Dispatcher;
  /** Undefined: there is none any more. */
  readonly trouble: (why: string | undefined) => Promise<void>;
  readonly lag: (count: number) => Promise<void>;
  /** Of the source. */
  readonly holds?: boolean;
  /** What is in hand is finished. */
  readonly signal: AbortSignal;
}

const LONGEST_PAUSE_MS = 30_000;
const LAG_MS = 5_000;

export class Taker {
  private readonly pace: MessagePace;
  private inHand = 0;
  private lagAt = 0;

  constructor(private readonly options: TakerOptions) {
    this.pace = new MessagePace(options.trigger.plan.limits.perSecond);
  }

  /** @param takers at the same time */
  async run(takers: number): Promise<void> {
    await Promise.all(Array.from({ length: takers }, () => this.take()));
  }

  private async take(): Promise<void> {
    const { signal, trouble } = this.options;
    let failures = 0;
    while (!signal.aborted) {
      let source: OpenSource | undefined;
      try {
        source = await this.options.open(signal);
        for (let first = true; !signal.aborted; first = false) {
          await this.next(source);
          failures = 0;
          if (first) await trouble(undefined);
        }
      } catch (error) {
        // Temporal, the database or the source is away: it keeps what was not acknowledged.
        if (!signal.aborted) await trouble(messageOf(error)).catch(() => undefined);
      } finally {
        await source?.close().catch(() => undefined);
      }
      if (!signal.aborted) await this.pause(pauseMs(failures));
      failures += 1;
    }
  }

  private async next(source: OpenSource): Promise<void> {
    const { plan } = this.options.trigger;
    const { batch, waitMs, limits } = plan;
    // Before there is something in hand: if it cannot be told, no delivery is used up.
    await this.tellLag(source);
    const most = Math.min(batch, (limits.inFlight ?? Infinity) - this.inHand, this.pace.allowed());
    if (most < 1) return await this.pause(50);
    this.inHand += most;
    this.pace.spend(most);
    const since = performance.now();
    try {
      const messages = await source.take(most, waitMs);
      this.pace.spend(messages.length - most);
      if (messages.length > 0) return await this.settle(source, messages);
    } finally {
      this.inHand -= most;
    }
    // A source that does not wait must not be asked all the time.
    if (performance.now() - since < waitMs / 2) await this.pause(waitMs / 2);
  }

  /** In order, or so many at a time. What was not started when something is away is given back. */
  private async settle(source: OpenSource, messages: readonly SourceMessage[]): Promise<void> {
    const { trigger } = this.options;
    const left = [...messages];
    const done = new Set<SourceMessage>();
    let away: { readonly error: unknown } | undefined;
    const lane = async (): Promise<void> => {
      for (let one = left.shift(); one && !away; one = left.shift())
        await this.dispatched(one).then(
          () => done.add(one!),
          (error: unknown) => (away ??= { error }),
        );
    };
    const lanes = Math.min(trigger.plan.dispatch.atOnce, LANES, messages.length);
    await Promise.all(Array.from({ length: lanes }, lane));
    await source.settle(
      messages.filter((one) => done.has(one)),
      messages.filter((one) => !done.has(one)),
    );
    if (away) throw away.error;
  }

  /** Again and again while something is away, if the source keeps what is in hand. */
  private async dispatched(one: SourceMessage): Promise<void> {
    const { dispatcher, trigger, holds, signal, trouble } = this.options;
    for (let failures = 0; ; failures += 1) {
      try {
        await dispatcher.dispatch(trigger, one);
        if (failures > 0) await trouble(undefined);
        return;
      } catch (error) {
        if (!holds || signal.aborted) throw error;
        await trouble(messageOf(error)).catch(() => undefined);
        await this.pause(pauseMs(failures));
      }
    }
  }

  private async tellLag(source: OpenSource): Promise<void> {
    const now = performance.now();
    if (!source.lag || (this.lagAt > 0 && now - this.lagAt < LAG_MS)) return;
    this.lagAt = now;
    const lag = await source.lag();
    if (lag !== undefined) await this.options.lag(lag);
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.options.signal }).catch(() => undefined);
  }
}

function pauseMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, 500 * 2 ** failures);
}

/** Starts at a time of one taker: each is a call to Temporal and some to the database. */
const LANES = 16;
