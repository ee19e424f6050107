import { type JsonObject, type Plan, refusedInputs, type WrongInput } from '../plan';

/**
 * Holds the inputs of an execution to what `metadata.workload` of its playbook says of them.
 *
 * @returns every input that is wrong; none for a playbook that says nothing
 */
export function checkPayload(plan: Plan, payload: JsonObject): readonly WrongInput[] {
  return refusedInputs(plan.inputs, payload);
}
