/** Resources of kind Mcp: what is started for them, and where their lists of tools come from. */
import { type Response } from 'express';
import { type Json, type JsonObject } from '../../../language/plan';
import { newExecutionId } from '../../../temporal/client';
import { type CatalogEntry } from '../../store';
import { entryOf } from '../catalog/reference';
import { invalidField } from '../http/errors';
import { type RouteServices } from '../services';
import { startSealed } from '../submit/start-sealed';
import { discoveryPlaybook, failedDiscovery, resourcePart, toolsIn, toolsOfResource } from './discovery';
import { executionEnd } from './waits';

/** Whose execution it is to be, and the key of the request. */
export interface Starter {
  readonly caller: string;
  readonly key?: string;
}

export class McpResources {
  constructor(private readonly services: RouteServices) {}

  /** @throws FacadeError 404; 422 `NOT_AN_MCP_RESOURCE` */
  async at(path: string, version: string | number | null | undefined): Promise<CatalogEntry> {
    const { catalog } = this.services.library;
    const entry = await entryOf(catalog, { path, version: version ?? 'latest' }, 'Mcp resource');
    if (entry.kind === 'mcp') return entry;
    const message = `${entry.path} is a resource of kind ${entry.kind}, not Mcp`;
    throw invalidField('path.path', 'NOT_AN_MCP_RESOURCE', message);
  }

  /** Starts a playbook that works on a resource. @returns the execution's id */
  async start(entry: CatalogEntry, path: string, inputs: JsonObject, starter: Starter): Promise<string> {
    const { caller: principal, ...key } = starter;
    const { payload, version } = entry;
    const [spec, metadata] = [resourcePart(payload, 'spec'), resourcePart(payload, 'metadata')];
    const workload = { mcp_resource: { path: entry.path, version, spec, metadata }, ...inputs };
    const accepted = await this.services.submitter.submit({
      reference: { path },
      payload: workload,
      principal,
      ...key,
      returnResult: true,
    });
    return accepted.executionId;
  }

  /** Finds the tools again, and registers the list with the newest text if it is another. @returns the document of the route */
  async discover(entry: CatalogEntry, starter: Starter, more: { force: boolean; response: Response }) {
    const { client, library } = this.services;
    const via = resourcePart(resourcePart(entry.payload, 'spec'), 'discovery')['refresh_via'];
    const isAgent = typeof via === 'string' && via !== '';
    const id = isAgent
      ? await this.start(entry, via, { verb: 'discover', force: more.force }, starter)
      : await this.ask(entry, starter.caller);
    const about = {
      mcp_path: entry.path,
      mcp_version_old: entry.version,
      strategy: isAgent ? 'agent' : 'direct',
      execution_id: id,
      tool_count_before: toolsOfResource(entry).length,
    } as const;
    const end = await executionEnd(client, id, more.response);
    if (!end) return { status: 'started', ...about, mcp_version_new: null, tool_count_after: null } as const;
    const tools = toolsIn(end, id, !isAgent);
    const latest = (await library.catalog.find(entry.path)) ?? entry;
    // A playbook without tools in its result has registered them itself.
    const own = latest.version === entry.version ? undefined : latest;
    const now = tools ? await this.register(tools, latest, { ...starter, ...more }) : own;
    return {
      status: now ? 'updated' : 'unchanged',
      ...about,
      mcp_version_new: now?.version ?? null,
      tool_count_after: (tools ?? toolsOfResource(latest)).length,
    } as const;
  }

  /** Starts a playbook that asks the server itself. @returns the execution's id */
  private async ask({ path, payload }: CatalogEntry, caller: string): Promise<string> {
    const content = discoveryPlaybook(path, resourcePart(payload, 'spec'));
    const missing = 'set spec.endpoint, spec.discovery.tools_list_url or spec.discovery.refresh_via';
    if (content === undefined)
      throw invalidField('path.path', 'NO_DISCOVERY', `${path} does not say where its tools are: ${missing}`);
    const { plan } = await this.services.threads.run('plan', { content, file: `mcp://${path}` }, caller);
    if (!plan) throw failedDiscovery(`an address or a name in the spec of ${path} is malformed`);
    return (await startSealed(this.services, { plan, payload: {} }, newExecutionId(), { caller })).id;
  }

  /** @returns the new version, undefined if there is none */
  private async register(
    tools: readonly Json[],
    latest: CatalogEntry,
    { caller, force }: { readonly caller: string; readonly force: boolean },
  ): Promise<CatalogEntry | undefined> {
    if (!force && JSON.stringify(toolsOfResource(latest)) === JSON.stringify(tools)) return undefined;
    const { threads, library } = this.services;
    const submitted = await threads.run('tools', { content: latest.content, tools }, caller);
    return (await library.register(submitted, caller)).entry;
  }
}
