import { type Json, type JsonObject } from '../../src/language/plan';
import { handPlan, type StepSketch } from './plans';
import { type Mocks, simulate } from './simulator';

/** What the inputs of a last step come to, after these steps. */
export function seen(
  inputs: JsonObject,
  steps: readonly StepSketch[],
  mocks: Mocks = {},
  payload: JsonObject = {},
): Json {
  const chained = steps.map((step, index) => ({
    ...step,
    next: [{ step: steps[index + 1]?.name ?? 'last', handlesFailure: true }],
  }));
  const run = simulate(
    handPlan([...chained, { name: 'last', tasks: [{ name: 'look', kind: 'noop', input: inputs }] }]),
    {
      mocks,
      payload,
    },
  );
  expect(run.error).toBeUndefined();
  return run.result!;
}
