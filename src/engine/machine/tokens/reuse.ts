/** What a rerun reuses of the recorded execution instead of running it again. */
import { patched, write } from '../scope';
import { type Context, ofRun } from '../batch';
import { copyOfState, ownValue, type Reused, type State, type StepResult, type StepRun } from '../state';

/** What a successful step run leaves for a rerun that does not come after it. */
export function reusedOf(
  { executionId }: Pick<State, 'executionId'>,
  { id, vars, locals, rules, loop }: StepRun,
  result: StepResult,
): Omit<Reused, 'patches'> {
  return {
    from: { execution_id: executionId, step_run_id: id },
    result,
    run: {
      vars,
      locals,
      rules: { ...rules, exited: true, written: true },
      // Only their number and status, not their content.
      loop: loop && { ...loop, items: loop.items.map(() => null), results: [], writes: {}, chunks: null },
    },
  };
}

/** Reuses the recorded run of this step. False when there is none and the step has to run. */
export function adopt(context: Context, run: StepRun): boolean {
  const { state } = context;
  const reused = reusedFor(context, run);
  if (!reused) return false;
  delete state.reuse![run.step];
  const { result, patches } = reused;
  Object.assign(run, copyOfState(reused.run, 'run'));
  if (run.loop) {
    const { total } = run.loop;
    context.emit?.('loop.started', run.step, 'in_progress', { total }, ofRun(run, run.token));
  }
  state.results.set(run.step, result);
  for (const patch of patches) {
    for (const [path, value] of Object.entries(patch)) write(context, state.ctx, path.split('.'), value);
    patched(context, patch, run.id);
  }
  context.enqueue({ op: 'endRun', run: run.id, cause: null });
  return true;
}

/** The recorded run of this step, unless something it depends on was run again. */
export function reusedFor({ state }: Context, { step, token }: StepRun): Reused | undefined {
  if (!state.reuse || state.tokens.get(token)!.anew) return undefined;
  return ownValue(state.reuse, step);
}
