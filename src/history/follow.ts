/** Canonical events as a stream: from a complete history, or of a running execution. */
import { Derivation, type DerivationOptions } from './derivation';
import { type CanonicalEvent } from './events';
import { type HistoryEvent } from './event';

export type Pages = AsyncIterable<readonly HistoryEvent[]>;

/** Page by page, holding only one page at a time. */
export async function* eventStream(
  pages: Pages,
  derivation: Derivation = new Derivation(),
): AsyncGenerator<CanonicalEvent[], void> {
  for await (const page of pages) {
    const events = await derivation.take(page);
    if (events.length > 0) yield events;
  }
}

interface FollowOptions extends DerivationOptions {
  /** Reads the history from its start and then follows new events. */
  readonly open: () => Pages;
  /** Called when reading fails: may wait, and returns whether to retry. `failures`: consecutive failures, from 1. */
  readonly again: (error: unknown, failures: number) => Promise<boolean>;
}

/**
 * Yields every event once, whatever happens to the connection or server: after a failure the history is reread, and
 * events already yielded are skipped. After a reset the new run's events follow those of the run it replaced.
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<CanonicalEvent[], void> {
  const ids = new Set<string>();
  let failures = 0;
  for (;;) {
    try {
      for await (const events of eventStream(options.open(), new Derivation(options))) {
        failures = 0;
        const fresh = events.filter((event) => !ids.has(event.event_id));
        for (const event of fresh) ids.add(event.event_id);
        if (fresh.length > 0) yield fresh;
      }
      return;
    } catch (error) {
      if (!(await options.again(error, ++failures))) throw error;
    }
  }
}
