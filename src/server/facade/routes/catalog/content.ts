/**
 * `/api/catalog/playbook/content`: the official GUI's editor (before version 5) reads and saves playbooks here.
 * Versions are immutable, so saving registers a new one.
 */
import { z } from 'zod';
import { entryOf } from '../../catalog/reference';
import { okAnswer, route, FacadeError, boundedText } from '../declare';
import { register } from './register';
import { registered } from '../../documents/catalog';

const which = z.object({
  playbook_id: boundedText(600).min(1).describe('Its path, or a catalog id'),
});

const NOUN = 'Playbook';

export const contentRoutes = [
  route('GET /api/catalog/playbook/content', {
    query: which,
    scope: 'read',
    summary: 'The text of a playbook, for editors',
    answers: okAnswer(
      'The latest version of a path, or the version of an id',
      z.object({ content: z.string(), path: z.string(), version: z.int(), catalog_id: z.string() }),
    ),
    errors: [404, 409],
    async handle({ query: { playbook_id } }, { library }) {
      const { content, path, version, catalog_id } = await entryOf(
        library.catalog,
        { path: playbook_id },
        NOUN,
      );
      return { content, path, version, catalog_id };
    },
  }),
  route('PUT /api/catalog/playbook/content', {
    query: which,
    scope: 'run',
    summary: 'Save the text of a playbook as its next version',
    description: 'Like `POST /api/catalog/register`, for an existing playbook that keeps its path.',
    body: z.object({ content: z.string().min(1).max(4_000_000) }),
    answers: okAnswer('Done', registered),
    errors: [404, 409],
    async handle(
      { query: { playbook_id }, body: { content }, principal: { name } },
      { threads, ...services },
    ) {
      const { path } = await entryOf(services.library.catalog, { path: playbook_id }, NOUN);
      const submitted = await threads.run('read', { content, type: 'playbook' }, name);
      if (submitted.path === path) return await register(services, {}, submitted, name);
      throw new FacadeError(
        409,
        'PATH_DIFFERS',
        `the text has the path '${submitted.path}', not '${path}': register it as a separate playbook`,
        { at: 'body.content' },
      );
    },
  }),
];
