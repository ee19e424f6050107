/** Plans of playbooks, for workers that run sub-playbooks. */
import { z } from 'zod';

import { FacadeError } from '../../http/errors';
import { type Route, route } from '../../http/route';
import { type RouteServices } from '../../services';

const planBody = z.object({
  path: z
    .string()
    .min(1)
    .max(600)
    .regex(/^[^\0]*$/),
  version: z.string().max(100).nullish().meta({ description: 'Default: the latest' }),
});

export function planRoutes({ library }: RouteServices): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/api/catalog/plan',
      scope: 'worker',
      tag: 'catalog',
      summary: 'The compiled plan of a playbook',
      body: planBody,
      answers: { 200: { description: 'The plan', body: z.object({ plan: z.looseObject({}) }) } },
      errors: [404],
      async handle({ body: { path, version }, principal }) {
        const entry = await library.catalog.find(path, version ?? 'latest');
        if (entry) return { plan: await library.planOf(entry, principal.name) };
        const message = await library.missing(path, version || undefined);
        throw new FacadeError(404, 'PLAYBOOK_NOT_FOUND', message);
      },
    }),
  ];
}
