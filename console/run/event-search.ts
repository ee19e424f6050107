/** Searches events by type or id: those of the page, or, for a long run, all on the server. */
import { useEffect, useState } from 'preact/hooks';
import { type CanonicalEvent } from '../../src/history';
import { type WantedEvents, type WindowMatches } from './window';

/** @param after position of an event: only later ones are looked at */
export type Find = (criteria: WantedEvents, after: number, signal: AbortSignal) => Promise<WindowMatches>;

/** Matches shown at most. */
const ENOUGH = 1000;
/** Pause after the last keystroke, in milliseconds. */
const RESTING_MS = 250;

export interface EventSearchState {
  readonly events: readonly CanonicalEvent[];
  /** Number of events searched so far; absent when all were. */
  readonly searched?: number;
  readonly failed?: string;
}

const NOTHING: EventSearchState = { events: [] };

/** @returns undefined if the server is not asked */
export function useEventSearch(
  find: Find | undefined,
  text: string,
  failed: boolean,
): EventSearchState | undefined {
  const [matches, setMatches] = useState(NOTHING);
  const isAsked = find !== undefined && (text !== '' || failed);
  useEffect(() => {
    setMatches({ events: [], searched: 0 });
    if (!isAsked) return;
    const closed = new AbortController();
    const timer = setTimeout(
      () => void search(find, { text, failed }, closed.signal, setMatches),
      RESTING_MS,
    );
    return () => {
      clearTimeout(timer);
      closed.abort();
    };
  }, [isAsked, text, failed]);
  return isAsked ? matches : undefined;
}

async function search(
  find: Find,
  criteria: WantedEvents,
  signal: AbortSignal,
  tell: (matches: EventSearchState) => void,
): Promise<void> {
  const events: CanonicalEvent[] = [];
  try {
    for (let after: number | null = 0; after !== null && events.length < ENOUGH;) {
      const matches: WindowMatches = await find(criteria, after, signal);
      events.push(...matches.events);
      after = matches.next_after;
      tell({ events: [...events], ...(after === null ? {} : { searched: matches.searched }) });
    }
  } catch (error) {
    if (!signal.aborted) tell({ events, failed: (error as Error).message });
  }
}
