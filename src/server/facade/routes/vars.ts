/**
 * `/api/vars`: variables of an execution (`vars`, also called `ctx`). Reads derive them from its history, writes
 * are sent to the execution; nothing is stored here, so accesses are not counted.
 */
import { z } from 'zod';
import { deleteVariables, setVariables } from '../../../temporal/client';
import { noVariable } from '../reading/views/variables';
import { type RouteServices } from '../services';
import { executionPath, temporalId } from '../executions/ids';
import { viewRoute } from './view-route';
import { okAnswer, route, component, mapping } from './declare';

const variable = component('Variable', {
  value: z.unknown(),
  type: z.enum(['user_defined', 'step_result']).describe('Set from outside, or written by a step'),
  source_step: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  accessed_at: z.iso.datetime().describe('When it was last written: reads are not recorded in history'),
  access_count: z.number().describe('Always 0, for the same reason'),
});

const NAME = /^[A-Za-z_]\w*$/;
const strayName = (given: object): string | undefined => Object.keys(given).find((name) => !NAME.test(name));
const one = executionPath.extend({ name: z.string().max(200).meta({ example: 'city' }) });
const written = z.object({
  variables: mapping
    .refine((given) => strayName(given) === undefined, {
      error: ({ input }) => `${JSON.stringify(strayName(input as object))} is not a variable name`,
    })
    .meta({
      override: { type: 'object', propertyNames: { pattern: NAME.source }, additionalProperties: true },
    }),
  var_type: z.string().max(100).optional(),
  source_step: z.string().max(300).nullish(),
});

const common = { errors: [404, 409, 502] } as const;

function namesOf({ readings }: RouteServices, id: string, caller: string): Promise<readonly string[]> {
  return readings.whole('variableNames', { id, about: {}, caller });
}

async function remove({ client }: RouteServices, id: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await temporalId(client, id).then((name) => deleteVariables(client, name, names));
}

export const vars = [
  viewRoute('variables', 'GET /api/vars/{id}', {
    ...common,
    summary: 'All variables of an execution, with their origin',
    description:
      'Those above 16 KiB are references: `/api/vars/{id}/{name}` has each, and `full` all of them.',
    query: z.object({
      full: z.stringbool().default(false).describe('true: include large ones'),
    }),
    answers: okAnswer(
      'The variables',
      z.object({ execution_id: z.string(), variables: z.record(z.string(), variable), count: z.number() }),
    ),
    about: ({ query }) => query,
  }),
  viewRoute('variable', 'GET /api/vars/{id}/{name}', {
    ...common,
    summary: 'One variable',
    params: one,
    answers: okAnswer('The variable', variable.extend({ execution_id: z.string(), var_name: z.string() })),
    about: ({ params: { name } }) => ({ name }),
  }),
  route('POST /api/vars/{id}', {
    ...common,
    scope: 'run',
    summary: 'Set variables of a running execution; they apply from its next task',
    params: executionPath,
    body: written,
    answers: okAnswer(
      'Set',
      z.object({ execution_id: z.string(), variables_set: z.number(), var_names: z.array(z.string()) }),
    ),
    errors: [404, 409, 503],
    async handle({ params: { id }, body: { variables } }, { client }) {
      const names = await temporalId(client, id).then((name) => setVariables(client, name, variables));
      return { execution_id: id, variables_set: names.length, var_names: [...names] };
    },
  }),
  route('DELETE /api/vars/{id}/{name}', {
    ...common,
    scope: 'run',
    summary: 'Delete one variable of a running execution',
    params: one,
    answers: okAnswer(
      'Deleted',
      z.object({ execution_id: z.string(), var_name: z.string(), deleted: z.literal(true) }),
    ),
    async handle({ params: { id, name }, principal }, services) {
      if (!(await namesOf(services, id, principal.name)).includes(name)) throw noVariable(id, name);
      await remove(services, id, [name]);
      return { execution_id: id, var_name: name, deleted: true };
    },
  }),
  route('DELETE /api/vars/{id}', {
    ...common,
    scope: 'run',
    summary: 'Delete variables of a running execution: all, or those of a list',
    params: executionPath,
    query: z.object({
      names: z
        .string()
        .min(1)
        .max(4000)
        .optional()
        .describe('These, separated by commas; those that are not set are ignored. Default: all'),
    }),
    answers: okAnswer('Deleted', z.object({ execution_id: z.string(), deleted_count: z.number() })),
    async handle({ params: { id }, query, principal }, services) {
      const names = query.names?.split(',') ?? (await namesOf(services, id, principal.name));
      await remove(services, id, names);
      return { execution_id: id, deleted_count: names.length };
    },
  }),
];
