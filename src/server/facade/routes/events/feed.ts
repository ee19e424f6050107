/**
 * Shares the events of one execution among many readers: its history is read once, and its rows are kept on disk while
 * there are readers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../../../language/errors';
import { isTransient } from '../../../../temporal/client';
import { type Readings, type SpooledRows } from '../../reading/readings';
import { type RowsAsked } from '../../reading/rows';
import { Spool } from '../../reading/spool';
import { type FacadeServices } from '../../services';

const PAUSE_MS = 500;
/** The feed ends if Temporal does not respond for this long. */
const PATIENCE_MS = 120_000;

/** Clients reconnect immediately after a lost connection, so a feed without readers is kept this long. */
const LINGER_MS = 5_000;

export interface Feed extends SpooledRows {
  readers: number;
  readonly abort: AbortController;
}

export class Feeds {
  private readonly feeds = new Map<string, Feed>();

  /** @param how.away called when Temporal does not respond to one that is followed */
  constructor(
    private readonly readings: Pick<Readings, 'fill'>,
    private readonly how: Pick<FacadeServices, 'away'> = {},
  ) {}

  /** Calls `use` with the feed of an execution. @throws errors of `use` */
  async during<T>(
    id: string,
    request: RowsAsked,
    caller: string,
    use: (feed: Feed) => Promise<T>,
  ): Promise<T> {
    const key = `${id}/${JSON.stringify(request)}`;
    let feed = this.feeds.get(key);
    if (!feed || feed.spool.hasFailed) {
      feed = this.begin(id, request, caller);
      this.feeds.set(key, feed);
    }
    feed.readers++;
    try {
      return await use(feed);
    } finally {
      feed.readers--;
      this.leave(key, feed);
    }
  }

  private begin(id: string, request: RowsAsked, caller: string): Feed {
    const feed: Feed = { spool: new Spool(), readers: 0, abort: new AbortController() };
    const { away } = this.how;
    const { signal } = feed.abort;
    let since = 0;
    const again = async (error: unknown, failures: number): Promise<boolean> => {
      if (!request.follow) return false;
      if (hasCode(error, 'SUPERSEDED')) return true;
      if (signal.aborted || !isTransient(error)) return false;
      if (failures === 1) {
        since = performance.now();
        away?.();
      }
      if (performance.now() - since > PATIENCE_MS) return false;
      await sleep(PAUSE_MS);
      return true;
    };
    // Its readers get the error from the spool.
    this.readings.fill(feed, { id, request, caller }, { signal, again }).catch(() => undefined);
    return feed;
  }

  private leave(key: string, feed: Feed): void {
    if (feed.readers > 0) return;
    setTimeout(() => {
      if (feed.readers > 0) return;
      feed.abort.abort();
      void feed.spool.close();
      if (this.feeds.get(key) === feed) this.feeds.delete(key);
    }, LINGER_MS).unref();
  }
}
