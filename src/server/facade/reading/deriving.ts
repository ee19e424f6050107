/** What is answered while an execution is being derived: how far that is, and what is known without. */
import { type Client } from '@temporalio/client';
import { type Response } from 'express';
import { z } from 'zod';
import { described } from '../executions/described';
import { summaryOf } from '../executions/summary';
import { isOver } from '../executions/words';
import { RouteReply } from '../http/route';
import { type Deriving } from './derivations';

const RETRY_AFTER_S = 1;

/** For `answers` of routes. */
export const DERIVING_ANSWER = {
  202: {
    description:
      'It is being derived from a long history: ask again after the seconds of `Retry-After`. Until then, what Temporal ' +
      'knows of the execution',
    body: z
      .looseObject({
        code: z.literal('DERIVING'),
        detail: z.string(),
        execution_id: z.string(),
        status: z.string().describe('Of the execution'),
        completed: z.boolean().describe('Whether it has ended, in any status'),
        failed: z.boolean().describe('Whether it has ended without completing'),
        deriving: z.object({
          history_events: z.number().describe('Of Temporal, read so far'),
          events: z.number().describe('Derived from them so far'),
        }),
      })
      .meta({ id: 'Deriving' }),
  },
};

export async function derivingReply(
  client: Client,
  id: string,
  { progress }: Deriving,
  response: Response,
): Promise<RouteReply> {
  const summary = summaryOf(await described(client, id), Date.now());
  const { status } = summary;
  response.set('retry-after', String(RETRY_AFTER_S));
  return new RouteReply(202, {
    ...summary,
    completed: isOver(status),
    failed: isOver(status) && status !== 'COMPLETED',
    code: 'DERIVING',
    detail: `it is being derived: ${progress.events} events so far; ask again in ${RETRY_AFTER_S} s`,
    deriving: { ...progress },
  });
}
