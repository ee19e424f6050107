/** A revision of a playbook that a request brings with it. */
import { formatDiagnostics } from '../../../language/dsl';
import { type Plan } from '../../../language/plan';
import { FacadeError } from '../http/errors';
import { type Threads } from '../threads/threads';

/** @throws FacadeError 422 `PLAYBOOK_INVALID` with the diagnostics */
export async function submittedRevision(
  threads: Threads,
  content: string | undefined,
  caller: string,
): Promise<Plan | undefined> {
  if (content === undefined) return undefined;
  const { plan, diagnostics } = await threads.run('plan', { content }, caller);
  if (plan) return plan;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  throw new FacadeError(422, 'PLAYBOOK_INVALID', formatDiagnostics(errors, content));
}
