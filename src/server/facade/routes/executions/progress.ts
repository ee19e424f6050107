/** `GET /api/executions/{id}/progress`: the full progress of an execution; the document of the CLI's `status`. */
import { z } from 'zod';
import { unservedList } from '../../executions/unserved';
import { okAnswer, type Route, route } from '../../http/route';
import { DERIVING_ANSWER } from '../../reading/deriving';
import { type RouteServices } from '../../services';
import { executionPath, locatedExecution } from '../../executions/ids';

const error = z
  .object({
    code: z.string(),
    kind: z.string().optional(),
    message: z.string(),
    step: z.string().nullable(),
    task: z.string().nullable(),
    iteration: z.number().nullable(),
    attempt: z.number().nullable(),
    at: z.object({ file: z.string().nullable(), line: z.number(), column: z.number() }).nullable(),
    cause: z.unknown().optional(),
  })
  .meta({ id: 'ExecutionFailure' });

const standing = z
  .object({
    execution_id: z.string(),
    workflow_id: z.string(),
    path: z.string(),
    version: z.string().nullable(),
    status: z.string().meta({
      description:
        'running, paused, cancelling, failing, completed, failed or cancelled; terminated and timed_out are Temporal’s',
    }),
    skipped: z.boolean().meta({ description: 'Whether a limit ended it before its first step' }),
    result: z.unknown(),
    error: error.nullable(),
    steps_executed: z.array(z.string()),
    notes: z
      .array(z.record(z.string(), z.unknown()))
      .meta({ description: 'What the run left undone without failing: code, step, message, place' }),
    live: z.array(z.record(z.string(), z.unknown())).meta({ description: 'What is in progress' }),
    queued: z.record(z.string(), z.unknown()).optional().meta({
      description: 'The limit it waits for before it begins: of, key, limit, holders, ahead, since, until',
    }),
    tasks_run: z.number(),
    retries: z.number(),
    variables: z.record(z.string(), z.unknown()),
    rerun_of: z
      .object({ execution_id: z.string(), step_run_id: z.string() })
      .nullable()
      .meta({ description: 'For a rerun: what it repeats' }),
    continuations: z.number(),
    started_at: z.iso.datetime(),
    deadline_at: z.iso.datetime().nullable().meta({ description: 'When it must have ended' }),
    late: z.boolean().meta({ description: 'Whether it was open at its deadline, or still is' }),
    finished_at: z.iso.datetime().nullable(),
    duration_ms: z.number(),
    unserved: unservedList,
  })
  .meta({ id: 'Standing' });

export function progress({ client, readings, unserved }: RouteServices): readonly Route[] {
  return [
    route('GET /api/executions/{id}/progress', {
      scope: 'read',
      summary: 'The progress or the end of an execution, with its result and its variables',
      description: 'Variables above 16 KiB are references; their values are at `/api/vars/{id}/{name}`.',
      params: executionPath,
      answers: { ...okAnswer('Its progress', standing), ...DERIVING_ANSWER },
      errors: [404, 502],
      async handle({ params: { id }, principal, response }) {
        const { workflowId } = await locatedExecution(client, id);
        return await readings.send('progress', {
          id,
          about: { workflowId },
          principal,
          response,
          more: unserved.fieldOf(id),
        });
      },
    }),
  ];
}
