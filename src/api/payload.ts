import { type JsonObject, type Plan, refusedInputs, type WrongInput } from '../language/plan';

/**
 * Validates the inputs of an execution against its playbook's `metadata.workload`.
 *
 * @returns every invalid input; none for a playbook without declarations
 */
export function checkPayload(plan: Plan, payload: JsonObject): readonly WrongInput[] {
  return refusedInputs(plan.inputs, payload);
}
