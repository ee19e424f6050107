/**
 * Work a run left undone without failing: reported in its events, its summary and its result, never by an exit code.
 */
import { type SourcePosition } from '../../../language/plan';
import { type Context } from './context';
import { ofRun } from './events';
import { type LiveState, type EngineNote, type Notes, type StepRun } from '../state';

/** Notes beyond this number are counted but not stored. */
const MAX_NOTES = 100;

/** Records work left undone at a location in the playbook; `index`: of the iteration. */
export function noteOnce(
  context: Context,
  code: EngineNote['code'],
  message: string,
  at: SourcePosition,
  { run, index }: { readonly run: Pick<StepRun, 'step' | 'id'>; readonly index: number | null },
): void {
  const { step, id } = run;
  const iteration = index === null ? {} : { iteration: index };
  const kept = [{ code, message, step, step_run_id: id, ...iteration, at }];
  takeNotes(context.state, { kept, count: 1 });
  const where = { ...ofRun(run), ...iteration };
  context.emit?.('step.note', step, 'success', { code, message, at: [...at] }, where);
}

/** Once for a step, and once outside of all: every response of an API has such decimals, or none. */
export function noteDigits(
  context: Context,
  what: string,
  at: SourcePosition,
  { run, index }: { readonly run: Pick<StepRun, 'step' | 'id'> | undefined; readonly index: number | null },
): void {
  const { kept = [] } = context.state.notes ?? {};
  if (kept.some(({ code, step }) => code === 'DIGITS_LOST' && step === run?.step)) return;
  const message = `${what}, of which a double does not keep all digits; as text it keeps them`;
  if (run) return noteOnce(context, 'DIGITS_LOST', message, at, { run, index });
  takeNotes(context.state, { kept: [{ code: 'DIGITS_LOST', message, at }], count: 1 });
}

/** Merges notes, such as those of a chunk. */
export function takeNotes(state: LiveState, { kept, count }: Notes): void {
  const notes = (state.notes ??= { kept: [], count: 0 });
  notes.count += count;
  notes.kept.push(...kept.slice(0, MAX_NOTES - notes.kept.length));
}
