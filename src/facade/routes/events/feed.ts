/**
 * Shares the events of one execution among many readers: its history is read once, and kept while there are
 * readers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../../errors';
import { type CanonicalEvent, type DerivationOptions, followEvents, type Pages } from '../../../history';
import { isTransient } from '../../../temporal';

const PAUSE_MS = 500;
/** The feed ends if Temporal does not respond for this long. */
const PATIENCE_MS = 120_000;

/** Clients reconnect immediately after a lost connection, so a feed without readers is kept this long. */
const LINGER_MS = 5_000;

/** Opens the history of an execution and follows it to its end. */
export type Open = (executionId: string, signal: AbortSignal) => Pages;

type FeedOptions = Pick<DerivationOptions, 'converter' | 'bodies'>;

export class Feeds {
  private readonly feeds = new Map<string, Feed>();

  constructor(
    private readonly open: Open,
    private readonly options: FeedOptions = {},
  ) {}

  /** Joins the feed of an execution; release it with `leave`. */
  join(executionId: string): Feed {
    let feed = this.feeds.get(executionId);
    if (!feed || feed.hasFailed) {
      feed = new Feed((signal) => this.open(executionId, signal), this.options);
      this.feeds.set(executionId, feed);
    }
    feed.readers++;
    return feed;
  }

  leave(executionId: string, feed: Feed): void {
    if (--feed.readers > 0) return;
    setTimeout(() => {
      if (feed.readers > 0) return;
      feed.stop();
      if (this.feeds.get(executionId) === feed) this.feeds.delete(executionId);
    }, LINGER_MS).unref();
  }
}

export class Feed {
  readonly events: CanonicalEvent[] = [];
  readers = 0;
  private over = false;
  private failure: unknown;
  private readonly abort = new AbortController();
  private waiting: (() => void)[] = [];

  constructor(open: (signal: AbortSignal) => Pages, options: FeedOptions) {
    void this.read(open, options);
  }

  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /**
   * Waits for the events from a position on; returns an empty list if the execution has ended and there are no
   * more.
   *
   * @throws the error that ended reading the history
   */
  async from(position: number): Promise<readonly CanonicalEvent[]> {
    while (position >= this.events.length && !this.over)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (position >= this.events.length && this.failure !== undefined) throw this.failure as Error;
    return this.events.slice(position);
  }

  /** The execution has ended, or its history can no longer be read. */
  get isOver(): boolean {
    return this.over;
  }

  stop(): void {
    this.abort.abort();
  }

  private async read(open: (signal: AbortSignal) => Pages, options: FeedOptions): Promise<void> {
    const { signal } = this.abort;
    let since = 0;
    const again = async (error: unknown, failures: number): Promise<boolean> => {
      if (hasCode(error, 'SUPERSEDED')) return true;
      if (failures === 1) since = performance.now();
      if (signal.aborted || !isTransient(error) || performance.now() - since > PATIENCE_MS) return false;
      await sleep(PAUSE_MS);
      return true;
    };
    try {
      for await (const events of followEvents({ ...options, open: () => open(signal), again })) {
        this.events.push(...events);
        this.wake();
      }
    } catch (error) {
      this.failure = error;
    }
    this.over = true;
    this.wake();
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
