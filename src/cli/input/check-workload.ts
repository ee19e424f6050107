import { parse } from 'yaml';
import { type JsonObject, playbookInputs, wrongInputs } from '../../plan';
import { UsageError } from '../errors';

/**
 * Holds a payload to what `metadata.workload` of a playbook says of its inputs, as submissions over REST are.
 *
 * @param text of a playbook that compiles
 * @throws UsageError naming every input that is wrong
 */
export function checkWorkload(file: string, text: string, payload: JsonObject): void {
  const wrong = wrongInputs(playbookInputs(parse(text) as JsonObject), payload);
  if (wrong.length === 0) return;
  const said = wrong.map(({ at, message }) => `${at} ${message}`).join('; ');
  throw new UsageError(`${file}: ${said} (metadata.workload); nothing was started`);
}
