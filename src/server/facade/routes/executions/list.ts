/** `GET /api/executions` */
import { z } from 'zod';
import { executionFilters, ExecutionList } from '../../executions/listing';
import { type FacadeServices } from '../../services';
import { executionSummary } from '../../documents/executions';
import { okAnswer, route, type FacadeRoute } from '../declare';

export function listRoutes({ client }: FacadeServices): readonly FacadeRoute[] {
  const executions = new ExecutionList(client);
  return [
    route('GET /api/executions', {
      scope: 'read',
      summary: 'Executions, newest first',
      description:
        'Newest start first, across all pages; one that continued as new is sorted by the start of its latest Temporal run. ' +
        'Filters narrow the list. Every page except the last links to the next one in the headers `X-Next-Cursor` and ' +
        '`Link`. Temporal lists a start or an end a moment later; `/api/executions/{id}` has it immediately.',
      query: executionFilters,
      answers: okAnswer('One page', z.array(executionSummary)),
      async handle({ query, request, response }) {
        const { executions: page, next } = await executions.page(query);
        if (next !== undefined) {
          const target = new URL(request.originalUrl, 'http://facade');
          target.searchParams.set('cursor', next);
          response.set({
            'x-next-cursor': next,
            link: `<${target.pathname}${target.search}>; rel="next"`,
          });
        }
        return page;
      },
    }),
  ];
}
