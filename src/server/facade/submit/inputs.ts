import { type JsonObject, type PlanInputs, refusedInputs } from '../../../language/plan';
import { FacadeError } from '../http/errors';

/**
 * Validates a payload against a playbook's inputs (`metadata.workload`).
 *
 * @throws FacadeError 422 `WORKLOAD_INVALID`, naming each invalid input
 */
export function refuseWrongInputs(inputs: PlanInputs | undefined, payload: JsonObject): void {
  const wrong = refusedInputs(inputs, payload);
  const [first] = wrong;
  if (first === undefined) return;
  throw new FacadeError(
    422,
    'WORKLOAD_INVALID',
    wrong.map(({ at, message }) => `${at} ${message}`).join('; '),
    { at: first.at, fields: wrong },
  );
}
