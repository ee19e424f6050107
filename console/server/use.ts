/** Data from the server for components: loaded once, or polled while the page is visible. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { askApi, connection, isLost, type ServerError } from './api';

export interface Loaded<T> {
  readonly value?: T;
  readonly error?: ServerError;
  /** Reloads now. */
  readonly again: () => void;
}

/** Pause before a retry when the server did not respond. */
const AWAY_MS = 2_000;
/** Includes proxies in front of an unavailable facade. */
const isAway = ({ status }: ServerError): boolean => status === 0 || status >= 502;

/**
 * @param load called again when one of `on` changes
 * @param everyMs pause between two loads while the page is visible; without it, the value is loaded once
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  on: readonly unknown[],
  everyMs?: number,
): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: ServerError }>({});
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const closed = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      let pause = everyMs;
      try {
        const value = await latest.current(closed.signal);
        if (!closed.signal.aborted) setState({ value });
      } catch (error) {
        if (!closed.signal.aborted) setState((before) => ({ ...before, error: error as ServerError }));
        if (isAway(error as ServerError)) pause ??= AWAY_MS;
      }
      if (pause !== undefined && !closed.signal.aborted) timer = setTimeout(wait, pause);
    };
    const wait = (): void => {
      if (!document.hidden) return void look();
      document.addEventListener('visibilitychange', () => void look(), { once: true, signal: closed.signal });
    };
    void look();
    return () => {
      closed.abort();
      clearTimeout(timer);
    };
  }, [...on, round, everyMs]);
  return { ...state, again: useCallback(() => setRound((before) => before + 1), []) };
}

/** A document of the facade. */
export function useDocument<T>(path: string | undefined, everyMs?: number): Loaded<T> {
  return useLoaded<T>(
    (signal) => (path === undefined ? new Promise<T>(() => undefined) : askApi<T>(path, { signal })),
    [path],
    everyMs,
  );
}

/** By name. */
const parts = new Map<string, unknown>();

/**
 * Code of the console that is loaded when it is first needed. The server is asked before, and again until it answers: a browser
 * never loads again what it could not load once. The first part is that of the page itself, whose server has just answered.
 */
export function usePart<T>(load: () => Promise<T>, name: string): { part?: T; error?: unknown } {
  const { error } = useLoaded(
    async (signal) => {
      if (parts.has(name)) return name;
      if (parts.size > 0) await askApi('/api/health', { signal });
      parts.set(name, await load());
      return name;
    },
    [name],
  );
  const part = parts.get(name) as T | undefined;
  return part === undefined ? { error } : { part };
}

/** Texts of the catalog by id; they never change. */
const contents = new Map<string, string>();
const KEPT_CONTENTS = 20;

/** The text of a version; undefined while it is loaded. */
export function useContent(catalogId: string | undefined): string | undefined {
  const { value } = useLoaded(
    async (signal) => {
      if (catalogId === undefined) return undefined;
      const kept = contents.get(catalogId);
      if (kept !== undefined) return { catalogId, content: kept };
      const body = { catalog_id: catalogId };
      const { content } = await askApi<{ content: string }>('/api/catalog/resource', { body, signal });
      contents.set(catalogId, content);
      if (contents.size > KEPT_CONTENTS) contents.delete(contents.keys().next().value!);
      return { catalogId, content };
    },
    [catalogId],
  );
  return value?.catalogId === catalogId ? value?.content : undefined;
}

/** Whether the server has stopped responding. */
export function useLost(): boolean {
  const [lost, setLost] = useState(isLost);
  useEffect(() => {
    const follow = (): void => setLost(isLost());
    connection.addEventListener('change', follow);
    return () => connection.removeEventListener('change', follow);
  }, []);
  return lost;
}

/** The current time, for durations of running elements. @param everyMs undefined: it stands still */
export function useNow(everyMs: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
