/** Pause, resume, cancel and stop. */
import { z } from 'zod';
import { hasCode } from '../../../../language/errors';
import { steer } from '../../../../temporal/client';
import { cancelExecution } from '../../executions/cancel';
import { okAnswer, route, FacadeError, component } from '../declare';
import { executionPath, temporalId } from '../../executions/ids';

const reason = z
  .string()
  .max(1000)
  .nullish()
  .transform((given) => given ?? undefined);
const why = z.object({ reason });
const cancelRequest = z.object({
  reason,
  cascade: z
    .boolean()
    .default(false)
    .describe('Also cancel detached sub-playbooks. Those that the execution waits for are always cancelled.'),
  force: z
    .boolean()
    .default(false)
    .describe(
      'Terminate what has not ended after five seconds: for an execution whose workflow cannot answer',
    ),
});
const cancelled = component('Cancelled', {
  status: z.enum(['cancelled', 'cancelling']),
  execution_id: z.string(),
  cancelled_executions: z.array(z.string()),
  message: z.string(),
});

const CANCELS = [
  { verb: 'cancel', body: cancelRequest, cascade: undefined, summary: 'Cancel a running execution' },
  { verb: 'stop', body: why, cascade: true, summary: 'Cancel a running execution and everything it started' },
] as const;

const STEERS = [
  { verb: 'pause', status: 'pausing', summary: 'Start no new task; running ones finish' },
  { verb: 'resume', status: 'resuming', summary: 'Resume a paused execution' },
] as const;

export const control = [
  ...CANCELS.map(({ verb, body, cascade, summary }) =>
    route(`POST /api/executions/{id}/${verb}`, {
      scope: 'run',
      summary,
      description:
        'Running tools are stopped. The status of an ended execution never changes. Waits up to five seconds for the end, ' +
        'unless a header says `Prefer: respond-async`.',
      params: executionPath,
      body: body as typeof cancelRequest,
      answers: okAnswer('The request was delivered', cancelled),
      errors: [404],
      async handle({ params: { id }, body, request: http }, { client }) {
        const { reason, force } = body;
        const waits = http.get('prefer') !== 'respond-async';
        const request = { reason, cascade: cascade ?? body.cascade, force, waits };
        const { status, executions } = await cancelExecution(client, id, request).catch((error: unknown) => {
          throw refusal(error, id, verb);
        });
        const word = status === 'cancelled' ? 'Cancelled' : 'Cancelling';
        return {
          status,
          execution_id: id,
          cancelled_executions: executions,
          message: `${word} ${executions.length} execution(s)`,
        };
      },
    }),
  ),
  ...STEERS.map(({ verb, status, summary }) =>
    route(`POST /api/executions/{id}/${verb}`, {
      scope: 'run',
      summary,
      description: 'Also applies to its sub-playbooks.',
      params: executionPath,
      body: why,
      answers: okAnswer(
        'The request was delivered',
        z.object({ execution_id: z.string(), status: z.literal(status) }),
        202,
      ),
      errors: [404],
      async handle({ params: { id }, body }, { client }) {
        try {
          await steer(client, await temporalId(client, id), verb, body.reason);
        } catch (error) {
          throw refusal(error, id, verb);
        }
        return { execution_id: id, status };
      },
    }),
  ),
];

/** The official CLI prints the `message` of a 400 as a warning. */
function refusal(error: unknown, id: string, verb: string): unknown {
  if (!hasCode(error, 'EXECUTION_OVER')) return error;
  const { status } = error.details;
  const message = `Execution ${id} is over (${status}): there is nothing to ${verb}`;
  return new FacadeError(400, error.code, message, { message, execution_id: id, status });
}
