/** Canonical events as a stream: from a complete history, or of a running execution. */
import { Derivation, type DerivationOptions, type HistoryPart } from './derivation';
import { type Divergence } from './divergence';
import { type CanonicalEvent } from './events';
import { Seen } from './cursor';
import { type HistoryEvent } from './event';

export type Pages = AsyncIterable<readonly HistoryEvent[]>;

/** A portion at a time, holding only one page of history. */
export async function* eventStream(
  pages: AsyncIterable<readonly HistoryPart[]>,
  derivation: Derivation = new Derivation(),
): AsyncGenerator<CanonicalEvent[], void> {
  for await (const page of pages) yield* derivation.portions(page);
}

interface FollowOptions extends DerivationOptions {
  /** Reads the history from its start and then follows new events. */
  readonly open: () => Pages;
  /** Called when reading fails: may wait, and returns whether to retry. `failures`: consecutive failures, from 1. */
  readonly again: (error: unknown, failures: number) => Promise<boolean>;
  /** Called at the end if this release diverges from the history. */
  readonly diverged?: (divergence: Divergence) => void;
}

/**
 * Yields every event once, whatever happens to the connection or server: after a failure the history is reread, and
 * events already yielded are skipped. After a reset the new run's events follow those of the run it replaced.
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<CanonicalEvent[], void> {
  const seen = new Seen();
  let failures = 0;
  for (;;) {
    const derivation = new Derivation(options);
    try {
      for await (const events of eventStream(options.open(), derivation)) {
        failures = 0;
        const fresh = events.filter(({ event_id }) => seen.add(event_id));
        if (fresh.length > 0) yield fresh;
      }
      if (derivation.divergence) options.diverged?.(derivation.divergence);
      return;
    } catch (error) {
      if (!(await options.again(error, ++failures))) throw error;
    }
  }
}
