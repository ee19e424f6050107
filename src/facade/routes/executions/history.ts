/** `/api/executions/:id/history`: what Temporal keeps of an execution, as its own tools write it. */
import { once } from 'node:events';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { z } from 'zod';
import { executionPath, pagesOf } from '../../executions/ids';
import { type Route, route } from '../../http/route';
import { type RouteServices } from '../../services';

export function history({ client }: RouteServices): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/executions/{id}/history',
      scope: 'read',
      tag: 'executions',
      summary: 'The Temporal history of an execution, over all runs of its chain',
      description:
        'In the format of `temporal workflow show --output json`, for replayers: values are as Temporal stores them, encrypted ' +
        'ones too.',
      params: executionPath,
      answers: {
        200: { description: 'The history', body: z.object({ events: z.array(z.looseObject({})) }) },
      },
      errors: [404, 502],
      async handle({ params: { id }, response }) {
        let isFirst = true;
        // No more than a page of it is held.
        for await (const events of pagesOf(client, id)) {
          const page = JSON.parse(historyToJSON({ events: [...events] })) as { events: unknown[] };
          const text = page.events.map((event) => JSON.stringify(event)).join(',\n');
          if (isFirst) response.type('application/json');
          if (response.destroyed) return;
          if (!response.write(`${isFirst ? '{"events":[' : ',\n'}${text}`))
            await Promise.race([once(response, 'drain'), once(response, 'close')]);
          isFirst = false;
        }
        response.end(']}\n');
      },
    }),
  ];
}
