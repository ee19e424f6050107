/** `/api/audit`, `/api/tokens`: who changed what, and who may. */
import { z } from 'zod';
import { Acts, Tokens } from '../../store';
import { actSchema, tokenSchema } from '../documents/operations';
import { boundedText, FacadeError, integerFrom, okAnswer, route } from './declare';

export const auditRoutes = route('GET /api/audit', {
  scope: 'read',
  summary: 'Who changed what, newest first',
  description:
    'Requests that need the scope `run` or `admin` and answers of people, by whom, from where, and what became of them; never values. ' +
    'Reads of credentials have an audit of their own. Kept for `NOETL_AUDIT_DAYS` (365).',
  query: z.object({
    about: boundedText(600)
      .optional()
      .describe('An execution, a playbook, a schedule: its id, path or name')
      .meta({ example: 'nightly' }),
    by: boundedText(300).optional().describe('Name of the token'),
    request: boundedText(300).optional().describe('Part of it').meta({ example: '/cancel' }),
    before: z
      .string()
      .regex(/^\d{1,18}$/)
      .optional()
      .describe('`id` of the last one of the page before'),
    limit: integerFrom(1).max(1000).default(100),
  }),
  answers: okAnswer('The acts', z.object({ acts: z.array(actSchema) })),
  handle: async ({ query }, { database }) => ({ acts: await new Acts(database).list(query) }),
});

export const tokenRoutes = [
  route('GET /api/tokens', {
    scope: 'admin',
    summary: 'Tokens, newest first, without their secrets',
    answers: okAnswer('All of them, also revoked ones', z.object({ tokens: z.array(tokenSchema) })),
    handle: async (_request, { database }) => ({ tokens: await new Tokens(database).list() }),
  }),
  route('DELETE /api/tokens/{id}', {
    scope: 'admin',
    summary: 'Revoke a token, effective immediately',
    params: z.object({ id: boundedText(300).min(1).describe('Its id, or its name') }),
    answers: okAnswer('The token', tokenSchema),
    errors: [404],
    async handle({ params: { id } }, { database }) {
      const token = await new Tokens(database).revoke(id);
      if (token) return token;
      throw new FacadeError(404, 'TOKEN_NOT_FOUND', `there is no active token ${id}`, {
        fix: ['GET /api/tokens, or noetl-temporal tokens list, says which there are.'],
      });
    },
  }),
];
