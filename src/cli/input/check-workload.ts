import { unreadInputs } from '../../language/dsl';
import { type JsonObject, type Plan, refusedInputs } from '../../language/plan';
import { EnvironmentError } from '../../language/errors';
import { UsageError } from '../errors';

/**
 * Validates a payload against a playbook's `metadata.workload`, like submissions over REST; without declarations,
 * inputs that the playbook does not read cause a warning.
 *
 * @throws UsageError naming every invalid input
 */
export function checkWorkload(
  file: string,
  plan: Plan,
  payload: JsonObject,
  tell: (what: EnvironmentError) => void,
): void {
  const wrong = refusedInputs(plan.inputs, payload);
  if (wrong.length > 0) {
    const problems = wrong.map(({ at, message }) => `${at} ${message}`).join('; ');
    throw new UsageError(`${file}: ${problems} (metadata.workload); nothing was started`);
  }
  for (const warning of unreadInputs(plan, payload)) tell(unreadInput(warning));
}

/** @param message the message of `unreadInputs` */
export function unreadInput(message: string): EnvironmentError {
  return new EnvironmentError('INPUT_UNREAD', message);
}
