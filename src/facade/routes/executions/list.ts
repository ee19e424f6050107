/** `GET /api/executions` */
import { z } from 'zod';
import { executionFilters, ExecutionList } from '../../executions/listing';
import { executionSummary } from '../../executions/summary';
import { type Route, route } from '../../http/route';
import { type FacadeServices } from '../../services';

export function list({ client }: FacadeServices): readonly Route[] {
  const executions = new ExecutionList(client);
  return [
    route({
      method: 'get',
      path: '/api/executions',
      scope: 'read',
      tag: 'executions',
      summary: 'Executions, newest first',
      description:
        'The last to start first, on all pages; one that continued as new stands where its latest Temporal run began. ' +
        'Filters narrow it down. A page that is not the last names the next one in the headers `X-Next-Cursor` and ' +
        '`Link`. Temporal tells of a start or an end a moment later; `/api/executions/{id}` knows at once.',
      query: executionFilters,
      answers: { 200: { description: 'One page', body: z.array(executionSummary) } },
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
