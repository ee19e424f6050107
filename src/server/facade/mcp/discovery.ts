/** Where the tools of a server are found: a playbook that asks it, because only workers make requests. */
import { excerpt, isMapping, type Json, type JsonObject } from '../../../language/plan';
import { type CatalogEntry } from '../../store';
import { FacadeError } from '../http/errors';
import { type ExecutionEnd } from './waits';

/**
 * A playbook that lists the tools of a resource: each step asks another place, if the one before it failed.
 *
 * @returns undefined if the resource names no place
 */
export function discoveryPlaybook(path: string, spec: JsonObject): string | undefined {
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value.trim() !== '' ? value : undefined;
  const auth = text(spec['auth']) ?? text(resourcePart(spec, 'auth')['credential']);
  const common: JsonObject = { timeout: 20, ...(auth !== undefined && { auth }) };
  const list = text(resourcePart(spec, 'discovery')['tools_list_url']);
  const endpoint = text(spec['endpoint']) ?? text(spec['url']);
  const server = endpoint === undefined ? text(spec['server']) : undefined;
  const mcp = (field: string, value: string | undefined): JsonObject[] =>
    value === undefined ? [] : [{ kind: 'mcp', method: 'tools/list', [field]: value, ...common }];
  const tools = [
    ...mcp('endpoint', list),
    ...(list === undefined ? [] : [{ kind: 'http', url: list, ...common }]),
    ...mcp('endpoint', endpoint),
    ...mcp('server', server),
  ];
  if (tools.length === 0) return undefined;
  const workflow = tools.map((tool, index) => ({
    step: index === 0 ? 'start' : `ask_${index + 1}`,
    tool,
    ...(index < tools.length - 1 && {
      next: { arcs: [{ step: `ask_${index + 2}`, when: `{{ event.name == 'step.failed' }}` }] },
    }),
  }));
  const metadata = {
    name: 'discover_tools',
    path: 'noetl/mcp/discover',
    description: `Lists the tools of ${path}`,
  };
  return JSON.stringify({ apiVersion: 'noetl.io/v2', kind: 'Playbook', metadata, workflow });
}

/**
 * The tools in the result of such a playbook, where they are needed, or of an author's; undefined if it has none.
 *
 * @throws FacadeError 502 if it failed or says so, or the list is too large
 */
export function toolsIn(end: ExecutionEnd, id: string, isNeeded: boolean): readonly Json[] | undefined {
  if ('failure' in end) throw failedDiscovery(`execution ${id} failed: ${end.failure}`);
  if ('bytes' in end) throw failedDiscovery(`execution ${id} answers with ${end.bytes} bytes`);
  const result: Record<string, unknown> = isMapping(end.result) ? end.result : {};
  const { status, error, text } = result;
  if (typeof status === 'string' && /^(error|failed)$/i.test(status)) {
    const why = error ?? text ?? `its status is ${status}`;
    throw failedDiscovery(typeof why === 'string' ? why : excerpt(why));
  }
  const places = [result, result['result'], result['data']];
  const lists = places.map((place) => (isMapping(place) ? place['tools'] : undefined));
  const tools = [...lists, result['data']].find((one): one is Json[] => Array.isArray(one));
  if (!tools && isNeeded) throw failedDiscovery(`the answer has no list of tools (execution ${id})`);
  return tools;
}

export function toolsOfResource({ payload }: Pick<CatalogEntry, 'payload'>): readonly Json[] {
  const { tools } = resourcePart(payload, 'spec');
  return Array.isArray(tools) ? tools : [];
}

export function resourcePart(data: JsonObject, key: string): JsonObject {
  const value = data[key];
  return isMapping(value) ? (value as JsonObject) : {};
}

export function failedDiscovery(why: string): FacadeError {
  return new FacadeError(502, 'MCP_DISCOVERY_FAILED', `the tools were not found: ${why}`);
}
