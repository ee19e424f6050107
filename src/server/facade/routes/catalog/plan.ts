/** Plans of playbooks, for workers that run sub-playbooks. */
import { z } from 'zod';
import { fitsAny } from '../../../store';
import { okAnswer, route, FacadeError, boundedText } from '../declare';

const planBody = z.object({
  path: boundedText(600).min(1),
  version: z.string().max(100).nullish().describe('Default: the latest'),
});

export const planRoutes = route('POST /api/catalog/plan', {
  scope: 'worker',
  summary: 'The compiled plan of a playbook',
  body: planBody,
  answers: okAnswer('The plan', z.object({ plan: z.looseObject({}) })),
  errors: [404],
  async handle({ body: { path, version }, principal }, { library }) {
    const { paths } = principal.limits ?? {};
    if (paths && !fitsAny(paths, path))
      throw new FacadeError(
        403,
        'PATH_REFUSED',
        `the token "${principal.name}" is limited to playbooks called ${paths.join(', ')}`,
      );
    const entry = await library.catalog.find(path, version ?? 'latest');
    if (entry) return { plan: await library.runnable(entry, principal.name) };
    const message = await library.missing(path, version || undefined);
    throw new FacadeError(404, 'PLAYBOOK_NOT_FOUND', message);
  },
});
