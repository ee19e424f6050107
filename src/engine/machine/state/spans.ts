/** Spans of a loop: its list, or the frames that a cursor has claimed. */
import { type Json, type JsonObject } from '../../../language/plan';
import { type ClaimedFrame, type LoopState, type Span } from './marking';

/** The spans whose iterations may run. */
export function spansOf(loop: LoopState): readonly Span[] {
  return loop.cursor?.frames ?? [loop];
}

/** The span of an iteration that has begun and not ended. */
export function spanOf(loop: LoopState, index: number): Span {
  return loop.cursor ? claimedFrameOf(loop, index)! : loop;
}

/** The claimed frame of an iteration; undefined in other loops. */
export function claimedFrameOf({ cursor }: LoopState, index: number): ClaimedFrame | undefined {
  return cursor?.frames.find(({ first, total }) => first <= index && index < total);
}

/** What counts of iterations count: rows, of which an iteration may have all of its frame. */
export function weightOf({ cursor }: LoopState, span: Span): number {
  return cursor?.policy['process'] === 'frame' ? (span as ClaimedFrame).rows : 1;
}

/** Whether something of the loop is under way. */
export function isLoopBusy({ inFlight, cursor }: LoopState): boolean {
  return inFlight > 0 || (cursor?.claiming ?? 0) > 0;
}

/** What `iter` says of the frame that an iteration belongs to. */
export function aboutFrame(
  { index, slot, rows, base }: ClaimedFrame,
  iteration: number,
  policy: JsonObject,
): JsonObject {
  const isRow = policy['process'] !== 'frame';
  return {
    _frame_index: index,
    ...(isRow && { _frame_row_index: iteration - base }),
    _frame_row_count: rows,
    _worker_slot_id: slot,
    _total: rows,
  };
}

/** `frame` in the iterations of a cursor loop; with the rows if they are one item. */
export function frameView(frame: ClaimedFrame, item: Json, policy: JsonObject): JsonObject {
  const { index, slot: worker_slot_id, rows: row_count, base: base_index } = frame;
  const about = { index, base_index, row_count, worker_slot_id, policy };
  return policy['process'] === 'frame' ? { ...about, rows: item } : about;
}
