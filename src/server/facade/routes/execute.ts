/** `POST /api/execute`: starts an execution of a playbook of the catalog. */
import { z } from 'zod';
import { unreadInputs } from '../../../language/dsl';
import { compact, type JsonObject } from '../../../language/plan';
import { Submissions } from '../../store';
import { type RouteServices } from '../services';
import { Submitter } from '../submit/submitter';
import { idempotencyKey } from '../submit/key';
import { executedOf, playbookParam, referenceBody } from './catalog/documents';
import { startedExecution } from '../documents/executions';
import { okAnswer, route, type FacadeRoute, mapping } from './declare';

/** The three names that clients use for the input of an execution. */
const PAYLOADS = ['workload', 'payload', 'input'] as const;

const executeBody = referenceBody.extend({
  playbook_id: playbookParam.nullish().describe('A path, or the id of an entry: another name of either'),
  workload: mapping.nullish().describe('Values merged over the workload of the playbook'),
  payload: mapping.nullish().describe('Alias of `workload`'),
  input: mapping.nullish().describe('Alias of `workload`'),
  parent_execution_id: z
    .union([z.string().regex(/^\d{0,19}$/, 'is not an execution id'), z.int().min(0)])
    .nullish()
    .describe('The execution that starts this one'),
  resource_kind: z.string().max(100).nullish().describe('The kind of resource: `playbook` or `agent`'),
});

export function executeRoutes(services: RouteServices): readonly FacadeRoute[] {
  const { database, library } = services;
  const submitter = new Submitter(services, library, new Submissions(database.query));
  return [
    route('POST /api/execute', {
      scope: 'run',
      summary: 'Start an execution of a playbook in the catalog',
      description:
        'The playbook is named by `path` (the latest version, or `version`), `catalog_id`, or as `path` (or `playbook_id`): ' +
        '`catalog://name@version`, `pbk_<catalog_id>`. With the header `Idempotency-Key`, the same request can be sent ' +
        'again, to any facade, also after a crash, and refers to the same execution; a different request with that key returns 409.',
      body: executeBody,
      answers: okAnswer('It began', startedExecution),
      errors: [404, 409, 503],
      async handle({ body, principal, request, response }) {
        const given = PAYLOADS.map((name) => body[name]).find(
          (value) => value !== null && value !== undefined,
        );
        const payload = (given ?? {}) as JsonObject;
        const key = idempotencyKey(request);
        const { executionId, entry, replayed } = await submitter.submit({
          reference: executedOf(body),
          payload,
          ...(body.parent_execution_id ? { parentExecutionId: String(body.parent_execution_id) } : {}),
          principal: principal.name,
          ...compact({ key }),
        });
        if (replayed) response.set('idempotent-replayed', 'true');
        return {
          execution_id: executionId,
          status: 'started',
          commands_generated: 1,
          catalog_id: entry.catalog_id,
          path: entry.path,
          version: entry.version,
          workflow_id: `noetl-${executionId}`,
          warnings: unreadInputs(await library.planOf(entry, principal.name), payload),
        };
      },
    }),
  ];
}
