/** `POST /api/events`: an external event for tasks of kind `wait`. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { EVENT_FATES, fateOf, sendEvent } from '../../../temporal/client';
import { okAnswer, route, invalidField } from './declare';
import { executionId, temporalId } from '../executions/ids';

const name = z.string().min(1).max(200);
const bodySchema = z.object({
  execution_id: executionId,
  name: name.optional().describe('Of the event'),
  event_type: name.optional().describe('As `name`'),
  payload: z.unknown().optional().describe('The result of the wait that consumes it'),
  event_id: z
    .union([z.string().min(1).max(200), z.number()])
    .transform(String)
    .optional()
    .describe('Sending the same id again has no effect, also after the execution has ended'),
});

export const externalEvents = route('POST /api/events', {
  scope: 'run',
  summary: 'Send a running execution an external event',
  description:
    'Idempotent by execution and `event_id`. `fate`: consumed by a wait, kept for one, a duplicate, or ' +
    'sent to the server until a workflow worker is available.',
  body: bodySchema,
  answers: okAnswer(
    'The fate of the event',
    z.object({
      status: z.literal('ok'),
      execution_id: z.string(),
      event_id: z.string(),
      name: z.string(),
      fate: z.enum(EVENT_FATES),
    }),
  ),
  errors: [404, 409],
  async handle({ body }, { client }) {
    const { execution_id: id, event_id = randomUUID(), payload = null } = body;
    const called = body.name ?? body.event_type;
    if (called === undefined)
      throw invalidField('body.name', 'VALIDATION', 'body.name: the event has no name');
    const event = { name: called, payload, id: event_id };
    const answer = await temporalId(client, id).then((name) => sendEvent(client, name, event));
    return { status: 'ok', execution_id: id, event_id, name: called, fate: fateOf(answer) };
  },
});
