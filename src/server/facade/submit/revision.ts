/** Playbooks that a request brings with it. */
import { formatDiagnostics } from '../../../language/dsl';
import { type Plan } from '../../../language/plan';
import { FacadeError } from '../http/errors';
import { type RouteServices } from '../services';

type Services = Pick<RouteServices, 'threads' | 'library'>;

/** A revision, if there is one. @throws as `submittedPlan` */
export async function submittedRevision(
  services: Services,
  content: string | undefined,
  caller: string,
): Promise<Plan | undefined> {
  return content === undefined ? undefined : await submittedPlan(services, content, caller);
}

/** @throws FacadeError 422 `PLAYBOOK_INVALID` with the diagnostics; 403 `PRIORITY_REFUSED` */
export async function submittedPlan(
  { threads, library }: Services,
  content: string,
  caller: string,
): Promise<Plan> {
  const { plan, diagnostics } = await threads.run('plan', { content }, caller);
  if (plan) {
    library.refuseAhead(plan);
    return plan;
  }
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  throw new FacadeError(422, 'PLAYBOOK_INVALID', formatDiagnostics(errors, content));
}
