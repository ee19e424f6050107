/**
 * `POST /api/executions/:id/rerun`: a new execution that starts with the state of another one at a step, or, as
 * used by the official CLI and GUI, from its beginning.
 */
import { z } from 'zod';
import { compact, type JsonObject, type Plan } from '../../../language/plan';
import { newExecutionId, NOETL_PLAYBOOK } from '../../../temporal/client';
import { entryOf } from '../catalog/reference';
import { described } from '../executions/described';
import { type RouteServices } from '../services';
import { route, okAnswer, invalidField, labelMapping, mapping } from './declare';
import { submittedRevision } from '../submit/revision';
import { startSealed } from '../submit/start-sealed';
import { executionPath } from '../executions/ids';
import { begunRerun, whatIfResult } from '../documents/executions';

const values = mapping.default({});
const bodySchema = z.object({
  from_step: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('A step, or one run of it (`fetch#2`); default: repeat the whole run'),
  from_failure: z.boolean().default(false).describe('Begin at the step that failed, instead of `from_step`'),
  only: z
    .boolean()
    .default(false)
    .describe('Run that step alone, with the input it had then; nothing follows'),
  workload: values.describe('Merged over the recorded workload'),
  payload: values.describe('As `workload`'),
  variables: values.describe('Merged over the recorded variables'),
  labels: labelMapping.default({}).describe('Over those that the execution was given'),
  playbook: z.string().optional().describe('YAML of a new revision'),
  version: z
    .union([z.literal('latest'), z.int().min(1)])
    .optional()
    .describe('The version of the catalog to run instead of the one that ran; not with `playbook`'),
});

const whatIfSchema = bodySchema.pick({ playbook: true, version: true, workload: true });

const rerunRoute = route('POST /api/executions/{id}/rerun', {
  scope: 'run',
  summary: 'Rerun an execution, from its start or with its state at a step',
  params: executionPath,
  body: bodySchema,
  answers: okAnswer('It began', begunRerun, 201),
  errors: [404, 409, 502, 503],
  async handle({ params: { id }, body, principal }, services) {
    const { readings } = services;
    const { from_step, from_failure, only, variables } = body;
    const executionId = newExecutionId();
    const about = {
      executionId,
      payload: { ...body.payload, ...body.workload } as JsonObject,
      variables: variables as JsonObject,
      ...compact({
        from: from_step,
        fromFailure: from_failure,
        alone: only,
        revision: await revisionOf(services, id, body, principal.name),
      }),
    };
    const { origin, input, labels, changed } = await readings.whole('rerun', {
      id,
      about,
      caller: principal.name,
    });
    const { execution_id, step_run_id } = origin;
    const { handle } = await startSealed(services, input, executionId, {
      caller: principal.name,
      rerun: { execution_id, step_run_id },
      labels: { ...labels, ...body.labels },
    });
    return {
      execution_id: executionId,
      workflow_id: handle.workflowId,
      status: 'started',
      rerun_of: origin,
      changed_steps: changed,
    };
  },
});

const whatIfRoute = route('POST /api/executions/{id}/what-if', {
  scope: 'read',
  summary: 'Decide a recorded execution anew with another playbook or other inputs; nothing is executed',
  description:
    'The answers are those that the execution had. `differences` has where it decides otherwise, `unanswered` the calls that the recording cannot answer.',
  params: executionPath,
  body: whatIfSchema,
  answers: okAnswer('What would have happened', whatIfResult),
  errors: [404, 502, 503],
  async handle({ params: { id }, body, principal }, services) {
    const about = {
      payload: body.workload as JsonObject,
      ...compact({ revision: await revisionOf(services, id, body, principal.name) }),
    };
    const { readings } = services;
    return (await readings.whole('whatIf', { id, about, caller: principal.name })) as z.input<
      typeof whatIfResult
    >;
  },
});

export const rerunRoutes = [rerunRoute, whatIfRoute];

/** The playbook of the request, or a version of the catalog; undefined: what ran. */
async function revisionOf(
  services: RouteServices,
  id: string,
  { playbook, version }: Pick<z.output<typeof bodySchema>, 'playbook' | 'version'>,
  caller: string,
): Promise<Plan | undefined> {
  if (version === undefined) return await submittedRevision(services, playbook, caller);
  if (playbook !== undefined)
    throw invalidField('body.version', 'VALIDATION', 'body.version: the request has a playbook: give one');
  const { client, library } = services;
  const path = (await described(client, id)).typedSearchAttributes.get(NOETL_PLAYBOOK) ?? '';
  return await library.runnable(await entryOf(library.catalog, { path, version }), caller);
}
