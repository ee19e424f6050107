/** `POST /api/executions/cleanup`: ends stuck executions. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import { hasCode } from '../../../../language/errors';
import { steer, workflowIdOf } from '../../../../temporal/client';
import { endsWithin } from '../../executions/cancel';
import { type Stuck, stuckExecutions } from '../../executions/stuck';
import { okAnswer, route, component } from '../declare';

const bodySchema = z.object({
  older_than_minutes: z.number().min(0).max(525_600).default(5),
  dry_run: z.boolean().default(false).describe('Only list them'),
});

const cleaned = component('Cleaned', {
  cancelled_count: z.number(),
  execution_ids: z
    .array(z.number().meta({ override: { type: 'integer', format: 'int64' } }))
    .describe('Numbers above 2^53, as the official CLI reads them; `executions` has them as strings'),
  executions: z.array(z.object({ execution_id: z.string(), since: z.iso.datetime(), why: z.string() })),
  message: z.string(),
});

/** Milliseconds for a workflow worker to process the cancellation; without a worker the execution is terminated. */
const PATIENCE_MS = 3_000;

export const cleanup = route('POST /api/executions/cleanup', {
  scope: 'admin',
  summary: 'Cancel executions that are stuck',
  description:
    'Stuck: nothing has happened for that long, no worker sends a heartbeat, and the execution does not wait ' +
    'intentionally (paused, sleeping, waiting for an event, a retry or a sub-playbook).',
  body: bodySchema,
  answers: okAnswer('The stuck executions', cleaned),
  async handle({ body: { older_than_minutes: minutes, dry_run }, response }, { client, readings }) {
    const stuck = await stuckExecutions(client, readings, Date.now() - minutes * 60_000);
    if (!dry_run) await Promise.all(stuck.map((one) => end(client, one, minutes)));
    const [mark, verb] = dry_run ? ['[DRY RUN] ', 'Would cancel'] : ['', 'Cancelled'];
    response.type('json').send(
      documentText({
        cancelled_count: dry_run ? 0 : stuck.length,
        execution_ids: stuck.map((one) => one.execution_id),
        executions: stuck.map(({ since, ...one }) => ({ ...one, since: new Date(since).toISOString() })),
        message: `${mark}${verb} ${stuck.length} stuck executions older than ${minutes} minutes`,
      }),
    );
    return undefined;
  },
});

/** Execution ids exceed JavaScript's numbers but not JSON's, so they are written as digits. */
function documentText({
  execution_ids,
  ...document
}: Omit<z.input<typeof cleaned>, 'execution_ids'> & { execution_ids: readonly string[] }): string {
  return `{"execution_ids":[${execution_ids.join(',')}],${JSON.stringify(document).slice(1)}`;
}

async function end(client: Client, { execution_id: id, why }: Stuck, minutes: number): Promise<void> {
  const reason = `cleanup: stuck for ${minutes} minutes: ${why}`;
  try {
    const name = await workflowIdOf(client, id);
    await steer(client, name, 'cancel', reason);
    if (await endsWithin(client, id, PATIENCE_MS)) return;
    await client.workflow.getHandle(name).terminate(reason);
  } catch (error) {
    if (!hasCode(error, 'EXECUTION_OVER', 'EXECUTION_NOT_FOUND') && !(error instanceof WorkflowNotFoundError))
      throw error;
  }
}
