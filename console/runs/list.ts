/** The list of runs: its first page again and again, those below it when they come into sight. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { answered, type ServerError } from '../server/api';
import { type ExecutionDocument } from '../../src/server/facade/documents';
import { useLoaded } from '../server/use';

const PAGE = 100;
const EVERY_MS = 2_000;

export interface RunList {
  readonly runs: readonly ExecutionDocument[];
  readonly loaded: boolean;
  readonly error?: ServerError;
  /** Loads the next page; nothing while one is loading, or after the last. */
  readonly more: () => void;
  readonly hasMore: boolean;
  readonly again: () => void;
  /** How many match; undefined until it is known. */
  readonly total: number | undefined;
  /** The projection, which was asked, lacks runs. */
  readonly isBehind: boolean;
}

interface Page {
  readonly runs: readonly ExecutionDocument[];
  readonly next: string | null;
  readonly total?: number;
  readonly isBehind: boolean;
}

async function load(query: string, cursor?: string, signal?: AbortSignal): Promise<Page> {
  const params = new URLSearchParams(query);
  params.set('page_size', String(PAGE));
  params.set(cursor ? 'cursor' : 'count', cursor ?? 'true');
  const { body, headers } = await answered<
    readonly ExecutionDocument[] | { executions: readonly ExecutionDocument[] }
  >(`/api/executions?${params.toString()}`, signal ? { signal } : {});
  const total = headers.get('x-total-count');
  return {
    runs: 'executions' in body ? body.executions : body,
    next: headers.get('x-next-cursor'),
    isBehind: headers.has('x-projection-behind'),
    ...(total !== null && { total: Number(total) }),
  };
}

/** @param query of the facade's route, without paging */
export function useRuns(query: string, key: string): RunList {
  const first = useLoaded((signal) => load(query, undefined, signal), [key], EVERY_MS);
  const [below, setBelow] = useState<{
    key: string;
    runs: readonly ExecutionDocument[];
    next: string | null;
  }>();
  const busy = useRef(false);
  useEffect(() => setBelow(undefined), [key]);
  const next = below ? below.next : first.value?.next;
  const more = useCallback(() => {
    if (!next || busy.current) return;
    busy.current = true;
    void load(query, next)
      .then((page) =>
        setBelow((before) => ({ key, runs: [...(before?.runs ?? []), ...page.runs], next: page.next })),
      )
      .catch(() => undefined)
      .finally(() => (busy.current = false));
  }, [next, query, key]);
  const top = first.value?.runs ?? [];
  const seen = new Set(top.map((run) => run.execution_id));
  const runs = [...top, ...(below?.runs ?? []).filter((run) => !seen.has(run.execution_id))];
  return {
    runs,
    loaded: first.value !== undefined,
    ...(first.error ? { error: first.error } : {}),
    more,
    hasMore: next !== undefined && next !== null,
    again: first.again,
    total: first.value?.total,
    isBehind: first.value?.isBehind ?? false,
  };
}
