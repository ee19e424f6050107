/**
 * `/api/vars`: variables of an execution (`vars`, also called `ctx`). Reads derive them from its history, writes
 * are sent to the execution; nothing is stored here, so accesses are not counted.
 */
import { z } from 'zod';
import { deleteVariables, setVariables } from '../../../temporal/client';
import { okAnswer, type Route, route } from '../http/route';
import { noVariable } from '../reading/views/variables';
import { DERIVING_ANSWER } from '../reading/deriving';
import { type RouteServices } from '../services';
import { executionPath, temporalId } from '../executions/ids';

const variable = z
  .object({
    value: z.unknown(),
    type: z
      .enum(['user_defined', 'step_result'])
      .meta({ description: 'Set from outside, or written by a step' }),
    source_step: z.string().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    accessed_at: z.iso
      .datetime()
      .meta({ description: 'When it was last written: reads are not recorded in history' }),
    access_count: z.number().meta({ description: 'Always 0, for the same reason' }),
  })
  .meta({ id: 'Variable' });

const NAME = /^[A-Za-z_]\w*$/;
const strayName = (given: object): string | undefined => Object.keys(given).find((name) => !NAME.test(name));
const one = executionPath.extend({ name: z.string().max(200).meta({ example: 'city' }) });
const written = z.object({
  variables: z
    .record(z.string(), z.unknown())
    .refine((given) => strayName(given) === undefined, {
      error: ({ input }) => `${JSON.stringify(strayName(input as object))} is not a variable name`,
    })
    .meta({
      override: { type: 'object', propertyNames: { pattern: NAME.source }, additionalProperties: true },
    }),
  var_type: z.string().max(100).optional(),
  source_step: z.string().max(300).nullish(),
});

export function vars({ client, readings }: RouteServices): readonly Route[] {
  const common = { errors: [404, 409, 502] } as const;
  const all = (id: string, caller: string): Promise<readonly string[]> =>
    readings.whole('variableNames', { id, about: {}, caller });
  const remove = async (id: string, names: readonly string[]): Promise<void> => {
    if (names.length === 0) return;
    await temporalId(client, id).then((name) => deleteVariables(client, name, names));
  };
  return [
    route('GET /api/vars/{id}', {
      ...common,
      scope: 'read',
      summary: 'All variables of an execution, with their origin',
      description:
        'Those above 16 KiB are references: `/api/vars/{id}/{name}` has each, and `full` all of them.',
      params: executionPath,
      query: z.object({
        full: z.stringbool().default(false).meta({ description: 'true: include large ones' }),
      }),
      answers: {
        ...okAnswer(
          'The variables',
          z.object({
            execution_id: z.string(),
            variables: z.record(z.string(), variable),
            count: z.number(),
          }),
        ),
        ...DERIVING_ANSWER,
      },
      handle: ({ params: { id }, query: { full }, principal, response }) =>
        readings.send('variables', { id, about: { full }, principal, response }),
    }),
    route('GET /api/vars/{id}/{name}', {
      ...common,
      scope: 'read',
      summary: 'One variable',
      params: one,
      answers: {
        ...okAnswer('The variable', variable.extend({ execution_id: z.string(), var_name: z.string() })),
        ...DERIVING_ANSWER,
      },
      handle: ({ params: { id, name }, principal, response }) =>
        readings.send('variable', { id, about: { name }, principal, response }),
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
      async handle({ params: { id }, body: { variables } }) {
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
      async handle({ params: { id, name }, principal }) {
        if (!(await all(id, principal.name)).includes(name)) throw noVariable(id, name);
        await remove(id, [name]);
        return { execution_id: id, var_name: name, deleted: true };
      },
    }),
    route('DELETE /api/vars/{id}', {
      ...common,
      scope: 'run',
      summary: 'Delete all variables of a running execution',
      params: executionPath,
      answers: okAnswer('Deleted', z.object({ execution_id: z.string(), deleted_count: z.number() })),
      async handle({ params: { id }, principal }) {
        const names = await all(id, principal.name);
        await remove(id, names);
        return { execution_id: id, deleted_count: names.length };
      },
    }),
  ];
}
