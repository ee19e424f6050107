/** `POST /api/events`, `/api/events/batch`: external events for tasks of kind `wait`. */
import { randomUUID } from 'node:crypto';
import { type Client } from '@temporalio/client';
import { z } from 'zod';
import { EVENT_FATES, fateOf, sendEvent } from '../../../temporal/client';
import { okAnswer, route, FacadeError, invalidField } from './declare';
import { chargeAgain } from '../http/rate-limit';
import { executionId, temporalId } from '../executions/ids';

const name = z.string().min(1).max(200);
const oneEvent = z.object({
  name: name.optional().describe('Of the event'),
  event_type: name.optional().describe('As `name`'),
  payload: z.unknown().optional().describe('The result of the wait that consumes it'),
  event_id: z
    .union([z.string().min(1).max(200), z.number()])
    .transform(String)
    .optional()
    .describe('Sending the same id again has no effect, also after the execution has ended'),
});
type GivenEvent = z.output<typeof oneEvent>;

/** What official workers report of their work: here, Temporal knows it from the workers themselves. */
const REPORTS = /^(command|call|step|loop|playbook|workflow|batch|frame|cursor)\.\w/;

/** @throws FacadeError 422 */
function eventOf({ name, event_type, payload = null, event_id = randomUUID() }: GivenEvent, at: string) {
  const called = name ?? event_type;
  if (called === undefined)
    throw invalidField(`${at}.name`, 'VALIDATION', `${at}.name: the event has no name`);
  return { name: called, payload, id: event_id };
}

async function send(client: Client, id: string, event: ReturnType<typeof eventOf>) {
  const answer = await temporalId(client, id).then((name) => sendEvent(client, name, event));
  return { event_id: event.id, name: event.name, fate: fateOf(answer) };
}

const sentEvent = z.object({ event_id: z.string(), name: z.string(), fate: z.enum(EVENT_FATES) });

export const externalEvents = [
  route('POST /api/events', {
    scope: 'run',
    summary: 'Send a running execution an external event',
    description:
      'Idempotent by execution and `event_id`. `fate`: consumed by a wait, kept for one, a duplicate, or ' +
      'sent to the server until a workflow worker is available.',
    body: oneEvent.extend({ execution_id: executionId }),
    answers: okAnswer(
      'The fate of the event',
      sentEvent.extend({ status: z.literal('ok'), execution_id: z.string() }),
    ),
    errors: [404, 409],
    async handle({ body: { execution_id, ...given } }, { client }) {
      return { status: 'ok', execution_id, ...(await send(client, execution_id, eventOf(given, 'body'))) };
    },
  }),
  route('POST /api/events/batch', {
    scope: 'run',
    summary: 'Send a running execution several external events, in their order',
    description:
      'As `POST /api/events`, up to 100 times; each event counts as a request. What workers of other servers report about their work (`call.done`, …) is ' +
      'refused: here, workers report to Temporal.',
    body: z.object({
      execution_id: executionId,
      events: z.array(oneEvent.loose()).min(1).max(100),
    }),
    answers: okAnswer(
      'Their fates',
      z.object({
        status: z.literal('ok'),
        execution_id: z.string(),
        event_ids: z.array(z.string()),
        commands_generated: z.literal(0),
        events: z.array(sentEvent),
      }),
    ),
    errors: [404, 409],
    async handle({ body: { execution_id, events: given }, response }, { client }) {
      const events = given.map((one, index) => eventOf(one, `body.events.${index}`));
      const at = events.findIndex(({ name }) => REPORTS.test(name));
      if (at >= 0)
        throw new FacadeError(
          422,
          'EVENT_OF_WORKERS',
          `body.events.${at}: '${events[at]!.name}' is reported by workers, and here these report to Temporal: send events ` +
            'that a step of kind wait names; GET /api/executions/{id}/events has what happened',
          { at: `body.events.${at}.name` },
        );
      // Before any is sent: whoever is refused sends them all again.
      for (let more = 1; more < events.length; more++) await chargeAgain(response);
      const sent = [];
      for (const event of events) sent.push(await send(client, execution_id, event));
      const event_ids = sent.map(({ event_id }) => event_id);
      return { status: 'ok', execution_id, event_ids, commands_generated: 0, events: sent };
    },
  }),
];
