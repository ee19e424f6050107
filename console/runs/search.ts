/** Runs that contain a text. The facade has no index of texts, so the list is read until enough of them are found. */
import { useEffect } from 'preact/hooks';
import { type ExecutionDocument } from '../../src/server/facade/documents';
import { type RunList } from './list';

const ENOUGH = 30;
const MOST_SEARCHED = 5_000;

export interface Search {
  readonly shown: readonly ExecutionDocument[];
  /** Older runs are being read. */
  readonly isSearching: boolean;
  /** How many were searched, if older ones remain. */
  readonly searched: number | undefined;
}

/** @param text in lower case; empty: all runs */
export function useRunSearch({ runs, more, hasMore }: RunList, text: string): Search {
  const shown = text === '' ? runs : runs.filter((run) => wordsOf(run).includes(text));
  const isSearching = text !== '' && hasMore && shown.length < ENOUGH && runs.length < MOST_SEARCHED;
  useEffect(() => {
    if (isSearching) more();
  }, [isSearching, more, runs.length]);
  return { shown, isSearching, searched: text !== '' && hasMore ? runs.length : undefined };
}

function wordsOf({ execution_id, path, error, version, schedule }: ExecutionDocument): string {
  return [execution_id, path, error, version, schedule?.name].join(' ').toLowerCase();
}
