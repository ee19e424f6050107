/** Statistics about the iterations of a loop. */
import { type Json, type JsonObject } from '../../../language/plan';
import { type LoopStats, loopStats } from '../../../language/template/runtime';
import { type LoopState } from '../state';

/** A loop before its first iteration. Spreading `given` instead would take a microsecond. */
export function newLoop(
  given: Pick<LoopState, 'items' | 'first' | 'total' | 'maxInFlight' | 'failFast' | 'chunks'>,
): LoopState {
  const { items, first, total, maxInFlight, failFast, chunks } = given;
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
  };
}

/** Opens no further iterations. */
export function openNoMore(loop: LoopState): void {
  loop.notStarted = notStarted(loop);
  loop.next = loop.first + loop.items.length;
}

/** Iterations that never began. */
export function notStarted({ first, items, next, notStarted: elsewhere }: LoopState): number {
  return elsewhere + first + items.length - next;
}

/** Results in the order of the items; null for an iteration that failed or never ran. */
export function resultsIn({ total, results }: LoopState): Json[] {
  const list = results.slice(0, total);
  while (list.length < total) list.push(null);
  return list;
}

export function statsOf(loop: LoopState): LoopStats & JsonObject {
  return loopStats(loop.total, { success: loop.done, failed: loop.failed, not_started: notStarted(loop) });
}
