/** Resources of kind Mcp: the playbooks of their lifecycle, and their lists of tools. */
import { z } from 'zod';
import { compact, type JsonObject } from '../../../language/plan';
import { resourcePart } from '../mcp/discovery';
import { McpResources, type Starter } from '../mcp/resources';
import { waits } from '../mcp/waits';
import { idempotencyKey } from '../submit/key';
import { versionParam } from './catalog/documents';
import { boundedText, component, invalidField, mapping, okAnswer, route, type RouteRequest } from './declare';

const path = boundedText(600).min(1);
const version = versionParam.describe('Of the resource; default the latest');
const lifecycleAnswer = component('McpLifecycle', {
  status: z.literal('started'),
  verb: z.string(),
  mcp_path: z.string(),
  mcp_version: z.int(),
  agent_path: z.string(),
  execution_id: z.string(),
});
const discoverAnswer = component('McpDiscovery', {
  status: z.enum(['started', 'updated', 'unchanged']).describe('`started`: the execution goes on'),
  mcp_path: z.string(),
  mcp_version_old: z.int(),
  mcp_version_new: z.int().nullable(),
  strategy: z.enum(['agent', 'direct']).describe('By `discovery.refresh_via`, or by asking the server'),
  execution_id: z.string(),
  tool_count_before: z.int(),
  tool_count_after: z.int().nullable(),
});

export const mcpRoutes = [
  route('POST /api/mcp/{path+}/lifecycle/{verb}', {
    scope: 'run',
    summary: 'Start the playbook that a resource of kind Mcp names for a verb',
    description:
      'The playbook of `spec.lifecycle.<verb>`, with `workload.mcp_resource` (path, version, spec, metadata), `workload.verb` and the overrides. ' +
      'An `Idempotency-Key` has the same meaning as in `POST /api/execute`.',
    params: z.object({ path, verb: boundedText(100).min(1) }),
    body: z.object({ version, workload_overrides: mapping.nullish().describe('Further inputs') }),
    answers: okAnswer('It began', lifecycleAnswer),
    errors: [404, 409, 503],
    async handle({ params, body, ...request }, services) {
      const resources = new McpResources(services);
      const entry = await resources.at(params.path, body.version);
      const verbs = new Map(Object.entries(resourcePart(resourcePart(entry.payload, 'spec'), 'lifecycle')));
      const verb = verbs.has(params.verb) ? params.verb : params.verb.trim().toLowerCase();
      const agent = verbs.get(verb);
      if (typeof agent !== 'string') {
        const names = [...verbs.keys()].join(', ') || 'none';
        const message = `${entry.path} has no lifecycle verb '${verb}'; it has: ${names}`;
        throw invalidField('path.verb', 'MCP_VERB_UNKNOWN', message);
      }
      const overrides = (body.workload_overrides ?? {}) as JsonObject;
      const message = '`mcp_resource` and `verb` cannot be overridden';
      if ('mcp_resource' in overrides || 'verb' in overrides)
        throw invalidField('body.workload_overrides', 'RESERVED_INPUT', message);
      return {
        status: 'started',
        verb,
        mcp_path: entry.path,
        mcp_version: entry.version,
        agent_path: agent,
        execution_id: await resources.start(entry, agent, { verb, ...overrides }, starterOf(request)),
      };
    },
  }),
  route('POST /api/mcp/{path+}/discover', {
    scope: 'run',
    summary: 'Find the tools of a resource of kind Mcp again, and register them as its next version',
    description:
      'By the playbook `spec.discovery.refresh_via`, whose result has `tools`; otherwise a worker asks `spec.discovery.tools_list_url`, then `spec.endpoint`. ' +
      'Waits for it at most `NOETL_MCP_CALL_SECONDS`.',
    params: z.object({ path }),
    body: z.object({
      version,
      force: z.boolean().default(false).describe('Register the list even if it is the same'),
    }),
    answers: okAnswer('Found, or begun', discoverAnswer),
    errors: [404, 409, 429, 502, 503],
    handle: ({ params, body, response, ...request }, services) =>
      waits.during(request.principal.name, async () => {
        const resources = new McpResources(services);
        const entry = await resources.at(params.path, body.version);
        return await resources.discover(entry, starterOf(request), { force: body.force, response });
      }),
  }),
];

function starterOf({
  principal,
  request,
}: Pick<RouteRequest<object, object, object>, 'principal' | 'request'>): Starter {
  return { caller: principal.name, ...compact({ key: idempotencyKey(request) }) };
}
