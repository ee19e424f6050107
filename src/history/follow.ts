/** Canonical events as a stream: of a history that is there, or of an execution that still runs. */
import { Derivation, type DerivationOptions } from './derivation';
import { type CanonicalEvent } from './events';
import { type HistoryEvent } from './event';

export type Pages = AsyncIterable<readonly HistoryEvent[]>;

/** Page by page, holding no more than one of them. */
export async function* eventStream(
  pages: Pages,
  derivation: Derivation = new Derivation(),
): AsyncGenerator<CanonicalEvent[], void> {
  for await (const page of pages) {
    const events = await derivation.take(page);
    if (events.length > 0) yield events;
  }
}

export interface FollowOptions extends DerivationOptions {
  /** Reads the history from its start, and goes on with what happens next. */
  readonly open: () => Pages;
  /** Asked when reading fails: waits, if it wants to, and answers whether to read again. `failures` in a row, from 1. */
  readonly again: (error: unknown, failures: number) => Promise<boolean>;
}

/**
 * Every event once, whatever happens to the connection or the server meanwhile: after a failure the history is read
 * anew, and what was told is left out. After a reset the new run's events follow those of the run it replaced.
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
