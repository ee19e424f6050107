/** `GET /api/executions` */
import { z } from 'zod';
import { executionFilters, ExecutionList, executionPageQuery } from '../../executions/listing';
import { type FacadeServices } from '../../services';
import { causeList, executionSummary } from '../../documents/executions';
import { okAnswer, route, type FacadeRoute } from '../declare';

export function listRoutes({ client, database }: FacadeServices): readonly FacadeRoute[] {
  const executions = new ExecutionList(client, database);
  return [
    route('GET /api/executions', {
      scope: 'read',
      summary: 'Executions, newest first',
      description:
        'Newest start first, across all pages; one that continued as new is sorted by the start of its latest Temporal run. ' +
        'Filters narrow the list; those from the projection know what it has read, and `X-Projection-Behind: true` says that it lacks executions. Every page except the last links to the next one in the headers `X-Next-Cursor` and ' +
        '`Link`. Temporal lists a start or an end a moment later; `/api/executions/{id}` has it immediately.',
      query: executionPageQuery,
      answers: okAnswer('One page', z.array(executionSummary)),
      async handle({ query, request, response }) {
        const { executions: page, next, total, isBehind } = await executions.page(query);
        if (isBehind) response.set('x-projection-behind', 'true');
        if (total !== undefined) response.set('x-total-count', String(total));
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
    route('GET /api/executions/causes', {
      scope: 'read',
      summary: 'Executions by how they ended: failed ones by code and step, largest group first',
      description:
        'From the projection. `GET /api/executions` with `path`, `status`, `code` and `step` lists a group.',
      query: executionFilters,
      answers: okAnswer('The groups', causeList),
      handle: ({ query }) => executions.causes(query),
    }),
  ];
}
