/** Events whose type or ids contain a text: of those at hand, or, of a long run, of all that the server has. */
import { useEffect, useState } from 'preact/hooks';
import { type CanonicalEvent } from '../../src/history';
import { type WindowMatches } from './window';

/** @param after position of an event: only later ones are looked at */
export type Find = (text: string, after: number, signal: AbortSignal) => Promise<WindowMatches>;

/** What is shown of what is found. */
const ENOUGH = 1000;
/** Milliseconds without another letter. */
const RESTING_MS = 250;

export interface EventSearchState {
  readonly events: readonly CanonicalEvent[];
  /** Events that were looked at, while there are more. */
  readonly searched?: number;
  readonly failed?: string;
}

const NOTHING: EventSearchState = { events: [] };

/** @returns undefined if the server is not asked */
export function useEventSearch(find: Find | undefined, text: string): EventSearchState | undefined {
  const [matches, setMatches] = useState(NOTHING);
  const isAsked = find !== undefined && text !== '';
  useEffect(() => {
    setMatches({ events: [], searched: 0 });
    if (!isAsked) return;
    const closed = new AbortController();
    const timer = setTimeout(() => void search(find, text, closed.signal, setMatches), RESTING_MS);
    return () => {
      clearTimeout(timer);
      closed.abort();
    };
  }, [isAsked, text]);
  return isAsked ? matches : undefined;
}

async function search(
  find: Find,
  text: string,
  signal: AbortSignal,
  tell: (matches: EventSearchState) => void,
): Promise<void> {
  const events: CanonicalEvent[] = [];
  try {
    for (let after: number | null = 0; after !== null && events.length < ENOUGH;) {
      const matches: WindowMatches = await find(text, after, signal);
      events.push(...matches.events);
      after = matches.next_after;
      tell({ events: [...events], ...(after === null ? {} : { searched: matches.searched }) });
    }
  } catch (error) {
    if (!signal.aborted) tell({ events, failed: (error as Error).message });
  }
}
