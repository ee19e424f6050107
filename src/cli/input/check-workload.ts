import { unreadInputs } from '../../dsl';
import { type JsonObject, type Plan, refusedInputs } from '../../plan';
import { EnvironmentError } from '../../errors';
import { UsageError } from '../errors';

/**
 * Holds a payload to what `metadata.workload` of a playbook says of its inputs, as submissions over REST are; what a
 * playbook that says nothing does not read is told.
 *
 * @throws UsageError naming every input that is wrong
 */
export function checkWorkload(
  file: string,
  plan: Plan,
  payload: JsonObject,
  tell: (what: EnvironmentError) => void,
): void {
  const wrong = refusedInputs(plan.inputs, payload);
  if (wrong.length > 0) {
    const said = wrong.map(({ at, message }) => `${at} ${message}`).join('; ');
    throw new UsageError(`${file}: ${said} (metadata.workload); nothing was started`);
  }
  for (const said of unreadInputs(plan, payload)) tell(unreadInput(said));
}

/** @param said what `unreadInputs` says of it */
export function unreadInput(said: string): EnvironmentError {
  return new EnvironmentError('INPUT_UNREAD', said);
}
