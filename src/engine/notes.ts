/** What a run left undone without failing: told in its events, its summary and its result, never by an exit code. */
import { type Position } from '../plan';
import { type Context } from './context';
import { ofRun } from './events';
import { type LiveState } from './live-state';
import { type StepRun } from './state';

/** More notes than this are counted and not kept. */
const MAX_NOTES = 100;

export type NoteCode =
  /** Pages were used up while the guard that asks for more still held. */
  | 'PAGES_LEFT'
  /** A loop ended before its last iteration. */
  | 'LOOP_ENDED_EARLY'
  /** A step was done and none of its arcs matched: its token ended there. */
  | 'NO_ARC_MATCHED';

export interface Note {
  code: NoteCode;
  message: string;
  step: string;
  step_run_id: string;
  iteration?: number;
  at: Position;
}

/** Notes of an execution. */
export interface Notes {
  kept: Note[];
  /** How many there were in all. */
  count: number;
}

/** Writes down what is left undone at a place of the playbook; `index`: of the iteration. */
export function note(
  context: Context,
  code: NoteCode,
  message: string,
  at: Position,
  { run, index }: { readonly run: StepRun; readonly index: number | null },
): void {
  const { step, id } = run;
  const iteration = index === null ? {} : { iteration: index };
  const kept = [{ code, message, step, step_run_id: id, ...iteration, at }];
  takeNotes(context.state, { kept, count: 1 });
  const where = { ...ofRun(run), ...iteration };
  context.emit?.('step.note', step, 'success', { code, message, at: [...at] }, where);
}

/** Adds notes, those of a chunk among them. */
export function takeNotes(state: LiveState, { kept, count }: Notes): void {
  const notes = (state.notes ??= { kept: [], count: 0 });
  notes.count += count;
  notes.kept.push(...kept.slice(0, MAX_NOTES - notes.kept.length));
}
