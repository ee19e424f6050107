/** The names that an expression would see in an execution at its last event, for trying out expressions. */
import { type State, stepView } from '../engine/machine';

/** Workload keys, step results, variables, reserved roots: later ones hide earlier ones. */
export function stateNames({ executionId, workload, ctx, results }: State): Record<string, unknown> {
  const steps = Object.entries(results).map(([step, result]) => [step, stepView(result)] as const);
  return {
    ...workload,
    ...Object.fromEntries(steps),
    ...ctx,
    workload,
    ctx,
    vars: ctx,
    execution_id: executionId,
    job: { execution_id: executionId },
  };
}
