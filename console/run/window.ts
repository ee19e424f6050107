/** A long run: the window of events around the displayed one, and the page's other requests about it. */
import { useEffect, useRef } from 'preact/hooks';
import { type CanonicalEvent, type ExplainedDecision } from '../../src/history';
import { type Graph } from '../../src/language/dsl/graph';
import { useDrawn } from '../parts/draw';
import { askApi, type ServerError } from '../server/api';
import { type Tape } from '../tape/tape';
import { WindowReader } from '../tape/window';

/** Polling interval for a running execution, in milliseconds. */
const LOOK_MS = 1000;

export interface WantedEvents {
  readonly text: string;
  readonly failed: boolean;
}

export interface WindowMatches {
  readonly events: readonly CanonicalEvent[];
  /** Number of events searched. */
  readonly searched: number;
  readonly next_after: number | null;
}

export interface Windowed {
  readonly tape?: Tape;
  /** The run has ended. */
  readonly over: boolean;
  readonly failed?: ServerError;
  /** The last request was not answered. */
  readonly lost: boolean;
}

const NOTHING: Windowed = { over: false, lost: false };

/**
 * The window around an event.
 *
 * @param graph of the playbook; undefined: nothing is read
 * @param at number of events up to the displayed one; undefined: the end
 */
export function useWindow(id: string, graph: Graph | undefined, at: number | undefined): Windowed {
  const target = useRef<{ at: number | undefined; wake?: (() => void) | undefined }>({ at });
  useEffect(() => {
    target.current.at = at;
    target.current.wake?.();
  }, [at]);
  return useDrawn<Windowed>(
    NOTHING,
    (change) => {
      if (!graph) return undefined;
      const closed = new AbortController();
      const read = new WindowReader(id, graph, closed.signal);
      void follow(read, target.current, (to) => {
        if (!closed.signal.aborted) change((before) => ({ ...before, ...to }));
      });
      return () => closed.abort();
    },
    [id, graph],
  );
}

async function follow(
  reader: WindowReader,
  target: { at: number | undefined; wake?: (() => void) | undefined },
  tell: (change: Partial<Windowed>) => void,
): Promise<void> {
  while (!reader.signal.aborted) {
    let isLost = false;
    try {
      const { at } = target;
      const tape = await reader.around(at);
      tell({ tape, over: reader.isOver, lost: false });
      if (target.at !== at) continue;
    } catch (error) {
      if (reader.signal.aborted) return;
      const problem = error as ServerError;
      isLost = problem.status === 0 || problem.status === 429 || problem.status >= 500;
      if (!isLost) return tell({ failed: problem });
      tell({ lost: true });
    }
    await new Promise<void>((resolve) => {
      target.wake = resolve;
      if (isLost || !reader.isOver) setTimeout(resolve, LOOK_MS);
    });
  }
}

/** Decisions within a window, and the last one before it. */
export async function windowDecisions(
  id: string,
  { first, end }: Tape,
): Promise<readonly ExplainedDecision[]> {
  const path = `/api/executions/${id}/explanation`;
  const [before, within] = await Promise.all(
    [first === 0 ? undefined : `at=${String(first)}`, `after=${String(first)}&page_size=1000`].map(
      async (query) =>
        query === undefined
          ? []
          : (await askApi<{ decisions: readonly ExplainedDecision[] }>(`${path}?${query}`)).decisions,
    ),
  );
  return [...before!, ...within!.filter(({ seq }) => seq <= end)];
}

export async function windowMatches(
  id: string,
  { text, failed }: WantedEvents,
  after: number,
  signal: AbortSignal,
): Promise<WindowMatches> {
  const query = `text=${encodeURIComponent(text)}&failed=${String(failed)}&after=${String(after)}&count=200`;
  return await askApi<WindowMatches>(`/api/executions/${id}/events/search?${query}`, { signal });
}
