/** Statistics about the iterations of a loop. */
import { type Json, type JsonObject } from '../../../language/plan';
import { type LoopStats, loopStats } from '../../../language/template/runtime';
import { type LoopState } from '../state';
import { NOTHING_MORE, rowsLeft } from './cursor';

/** A loop before its first iteration. Spreading `given` instead would take a microsecond. */
export function newLoop(
  given: Pick<LoopState, 'items' | 'first' | 'total' | 'maxInFlight' | 'failFast' | 'chunks' | 'cursor'>,
): LoopState {
  const { items, first, total, maxInFlight, failFast, chunks, cursor } = given;
  return {
    items,
    first,
    total,
    maxInFlight,
    failFast,
    chunks,
    next: first,
    notStarted: 0,
    inFlight: 0,
    done: 0,
    failed: 0,
    results: [],
    stopping: null,
    writes: {},
    ...(cursor && { cursor }),
  };
}

/** Opens no further iterations. */
export function openNoMore(loop: LoopState): void {
  loop.notStarted = notStarted(loop);
  loop.next = loop.first + loop.items.length;
  if (!loop.cursor) return;
  loop.cursor.maxRows = NOTHING_MORE;
  for (const frame of loop.cursor.frames) frame.next = frame.total;
}

/** Iterations that never began. */
export function notStarted(loop: LoopState): number {
  const { first, items, next, notStarted: elsewhere } = loop;
  return elsewhere + (loop.cursor ? rowsLeft(loop) : first + items.length - next);
}

/** Results in the order of the items; null for an iteration that failed or never ran. Those of rows are not kept. */
export function resultsIn({ total, results, cursor }: LoopState): Json[] {
  if (cursor) return [];
  const list = results.slice(0, total);
  while (list.length < total) list.push(null);
  return list;
}

export function statsOf(loop: LoopState): LoopStats & JsonObject {
  const { total, done: success, failed, cursor } = loop;
  return loopStats(total, { success, failed, not_started: notStarted(loop), frames: cursor?.count });
}
