/** `/api/bulk`: the same for many executions, as durable operations. */
import { z } from 'zod';
import {
  cancelBulk,
  HIGHEST_RATE,
  listBulk,
  MOST_EXECUTIONS,
  readBulk,
  resumeBulk,
  selectExecutions,
  type BulkSelection,
  startBulk,
  USUAL_RATE,
  whereOf,
} from '../../bulk';
import { BULK_VERBS, type BulkInput, type BulkVerb, compact } from '../../../language/plan';
import { newExecutionId } from '../../../temporal/client';
import { Runs } from '../../projection';
import { type RouteServices } from '../services';
import { begunBulk } from '../documents/bulk';
import { checkedId, executionId } from '../executions/ids';
import { selectInTables } from '../executions/in-tables';
import { submittedRevision } from '../submit/revision';
import { RouteReply, okAnswer, route, invalidField, component, integerFrom } from './declare';

const ID = /^[1-9]\d{0,18}$/;
const path = z.object({ id: z.string().regex(ID).describe('Of the bulk operation') });

const bodySchema = z
  .strictObject({
    verb: z.enum(BULK_VERBS),
    where: z
      .string()
      .max(2000)
      .optional()
      .meta({
        description:
          'Terms path, name, label, input, text, version, status, code, step, since, until, called; see the manual. Default status: failed for ' +
          '`rerun`, running for `cancel`, `pause` and `resume`',
        example: 'path=etl/* status=failed code=HTTP_5* since=2d',
      }),
    executions: z
      .array(executionId)
      .min(1)
      .max(MOST_EXECUTIONS)
      .optional()
      .describe('These, in this order, regardless of `where`: what a dry run answered'),
    dry_run: z.boolean().default(false).describe('Only answer which executions are meant, by cause'),
    id: z
      .string()
      .regex(ID)
      .optional()
      .describe('The `bulk_id` of a dry run: repeating the request starts nothing twice'),
    rate: z.number().positive().max(HIGHEST_RATE).default(USUAL_RATE).describe('Executions per second'),
    from_step: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe('rerun: begin at this step; default: where the execution began'),
    from_failure: z.boolean().default(false).describe('rerun: begin at the step that failed'),
    playbook: z.string().optional().describe('rerun: YAML of a new revision, for all of them'),
    reason: z.string().max(1000).optional().describe('cancel, pause: recorded in the events'),
    cascade: z.boolean().default(false).describe('cancel: also detached sub-playbooks'),
  })
  .refine((body) => body.where !== undefined || body.executions !== undefined, {
    error: 'give where or executions',
    path: ['where'],
  })
  .refine((body) => !(body.from_step !== undefined && body.from_failure), {
    error: 'give either from_step or from_failure',
    path: ['from_step'],
  });
type BulkBody = z.output<typeof bodySchema>;

const summary = component('Bulk', {
  bulk_id: z.string(),
  verb: z.enum(BULK_VERBS),
  status: z.string().describe('running, completed, cancelled, failed, terminated, timed_out'),
  total: z.int(),
  where: z.string().nullable(),
  by: z.string().nullable(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
});

const standing = component('BulkStanding', {
  ...summary.shape,
  counts: z.object({ done: z.int(), skipped: z.int(), failed: z.int(), left: z.int() }),
  outcomes: z.array(
    z.object({
      execution_id: z.string(),
      outcome: z.enum(['done', 'skipped', 'failed']),
      rerun: z.string().optional().describe('The new execution'),
      code: z.string().optional(),
      message: z.string().optional(),
    }),
  ),
});

export const bulkRoutes = [
  route('POST /api/bulk', {
    scope: 'run',
    summary: 'Rerun, cancel, pause, resume or replay many executions',
    description:
      'A dry run answers 200 with the executions and their causes. Otherwise a durable operation begins; it survives ' +
      'the end of any process, and handles each execution once.',
    body: bodySchema,
    answers: {
      202: { description: 'The operation began', body: begunBulk },
      200: { description: 'Dry run', body: begunBulk },
    },
    errors: [409, 502, 503],
    async handle({ body, principal }, services) {
      const { client } = services;
      const { verb, where, dry_run, id: bulk_id = newExecutionId() } = body;
      refuseStray(body);
      const revision = await submittedRevision(services, body.playbook, principal.name);
      const { executions, causes } = await selected(services, body);
      const answer = { bulk_id, verb, dry_run, total: executions.length, causes, executions };
      if (dry_run || executions.length === 0) return new RouteReply(200, { ...answer, dry_run: true });
      const input = { bulk: bulk_id, verb, executions, perSecond: body.rate, options: optionsOf(body) };
      await startBulk(client, {
        input: { ...input, ...(revision && { revision }) },
        where: where ?? null,
        by: principal.name,
      });
      return new RouteReply(202, answer);
    },
  }),
  route('GET /api/bulk', {
    scope: 'read',
    summary: 'Bulk operations, newest first',
    query: z.object({ limit: integerFrom(1).max(1000).default(100) }),
    answers: okAnswer('The operations', z.array(summary)),
    handle: ({ query: { limit } }, { client }) => listBulk(client, limit),
  }),
  route('GET /api/bulk/{id}', {
    scope: 'read',
    summary: 'Progress and outcomes of a bulk operation',
    params: path,
    answers: okAnswer('The operation', standing),
    errors: [404, 502],
    handle: ({ params: { id } }, { client }) => readBulk(client, id),
  }),
  ...(
    [
      ['cancel', cancelBulk, 'Stop a bulk operation after the batch under way'],
      ['resume', resumeBulk, 'Continue a stopped bulk operation with the executions that are left'],
    ] as const
  ).map(([verb, act, does]) =>
    route(`POST /api/bulk/{id}/${verb}`, {
      scope: 'run',
      summary: does,
      params: path,
      answers: okAnswer('The request was delivered', z.object({ bulk_id: z.string() }), 202),
      errors: [404, 409, 502],
      async handle({ params: { id } }, { client }) {
        await act(client, id);
        return { bulk_id: id };
      },
    }),
  ),
];

async function selected(
  { client, database }: RouteServices,
  { verb, where, executions }: BulkBody,
): Promise<BulkSelection> {
  if (executions) return { executions: [...new Set(executions.map(checkedId))], causes: [] };
  const filter = whereOf(where ?? '', Date.now());
  if (Object.keys(filter.tables).length === 0) return await selectExecutions(client, verb, filter);
  return await selectInTables(new Runs(database.rows, client.options.namespace), verb, filter);
}

/** Options of another verb would silently do nothing. */
const ONLY_FOR: Readonly<Record<string, readonly BulkVerb[]>> = {
  from_step: ['rerun'],
  from_failure: ['rerun'],
  playbook: ['rerun'],
  reason: ['cancel', 'pause'],
  cascade: ['cancel'],
};

function refuseStray(body: BulkBody): void {
  const given: Readonly<Record<string, unknown>> = body;
  for (const [name, verbs] of Object.entries(ONLY_FOR)) {
    if (given[name] === undefined || given[name] === false || verbs.includes(body.verb)) continue;
    throw invalidField(`body.${name}`, 'BULK_OPTION', `${name} applies to ${verbs.join(' and ')} only`);
  }
}

function optionsOf({ from_step, from_failure, reason, cascade }: BulkBody): BulkInput['options'] {
  return compact({ from: from_step, fromFailure: from_failure || undefined, reason, cascade });
}
