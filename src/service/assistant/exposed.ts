/** Playbooks that their authors offer as tools: `metadata.expose: mcp`, or the official `exposes_as_mcp: true`. */
import { CodedError } from '../../language/errors';
import { isMapping } from '../../language/plan';
import { boundedAnswer } from './bounded';
import { type AssistantReach, type ExposedPlaybook } from './reach';

/** More tools are of no use to an assistant. */
const MOST = 200;
const YES = /^"?(true|yes|on|y|1)"?$/i;

interface Entry {
  readonly path: string;
  readonly version: number;
  readonly catalog_id: string;
  readonly payload?: { readonly metadata?: Readonly<Record<string, unknown>> };
}

interface Page {
  readonly entries: readonly Entry[];
  readonly pagination?: { readonly has_next?: boolean };
}

interface RpcAnswer {
  readonly result?: {
    readonly tools?: readonly Omit<ExposedPlaybook, 'call'>[];
    readonly content?: readonly { readonly text?: string }[];
  };
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly code?: string };
  };
}

/** Whether its author offers it to assistants; no playbook is offered that does not say so. */
export function isExposed(metadata: Readonly<Record<string, unknown>> = {}): boolean {
  const { expose, exposes_as_mcp: official } = metadata;
  return [expose].flat().includes('mcp') || (official !== undefined && YES.test(JSON.stringify(official)));
}

/** The exposed playbooks of a catalog. Schemas are asked for once for each version. */
export class ExposedCatalog {
  private readonly tools = new Map<string, Promise<Omit<ExposedPlaybook, 'call'>>>();

  /** What is offered now, to be compared: a change means another list of tools. */
  async signature(reach: AssistantReach): Promise<string> {
    return JSON.stringify((await this.entries(reach)).map(({ catalog_id }) => catalog_id));
  }

  /** @param taken names of other tools */
  async list(reach: AssistantReach, taken: ReadonlySet<string>): Promise<readonly ExposedPlaybook[]> {
    const entries = await this.entries(reach);
    const names = new Set(taken);
    const offers: ExposedPlaybook[] = [];
    for (const { path, catalog_id: id } of entries) {
      if (!this.tools.has(id)) this.tools.set(id, this.toolOf(path, reach));
      const tool = await this.tools.get(id)!.catch(() => undefined);
      if (!tool) {
        this.tools.delete(id);
        continue;
      }
      // The first of a name keeps it; others have their whole path.
      const name = names.has(tool.name) ? path.replace(/[^\w.-]/g, '_').slice(0, 120) : tool.name;
      if (names.has(name)) continue;
      names.add(name);
      offers.push({ ...tool, name, call: (input) => called(path, input, reach) });
    }
    return offers;
  }

  private async entries(reach: AssistantReach): Promise<Entry[]> {
    const offers: Entry[] = [];
    for (const resource_type of ['playbook', 'agent'])
      for (let page = 1, more = true; more && offers.length < MOST; page++) {
        const body = { resource_type, latest: true, page, page_size: 1000 };
        const answer = await reach.ask<Page>('/api/catalog/list', { method: 'POST', body });
        offers.push(...answer.entries.filter(({ payload }) => isExposed(payload?.metadata)));
        more = answer.pagination?.has_next === true;
      }
    return offers.slice(0, MOST);
  }

  private async toolOf(path: string, reach: AssistantReach): Promise<Omit<ExposedPlaybook, 'call'>> {
    const { tools = [] } = await rpc(path, 'tools/list', {}, reach);
    const [tool] = tools;
    if (!tool) throw new CodedError('NOT_EXPOSED', `${path} is no tool`);
    return tool;
  }
}

async function called(
  path: string,
  input: Readonly<Record<string, unknown>>,
  reach: AssistantReach,
): Promise<object> {
  const result = await rpc(path, 'tools/call', { arguments: input }, reach);
  const texts = (result.content ?? []).map(({ text = '' }) => text).join('\n');
  const { text, cut } = boundedAnswer(texts, '`status` of the execution in `_meta`');
  const { structuredContent: _, ...rest } = result as Readonly<Record<string, unknown>>;
  return { ...rest, content: [text, ...cut].map((one) => ({ type: 'text', text: one })) };
}

async function rpc(
  path: string,
  method: string,
  params: object,
  reach: AssistantReach,
): Promise<NonNullable<RpcAnswer['result']>> {
  const place = `/api/mcp/playbook/${path.split('/').map(encodeURIComponent).join('/')}/jsonrpc`;
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const { result, error } = await reach.ask<RpcAnswer>(place, { method: 'POST', body });
  if (isMapping(result)) return result;
  throw new CodedError(error?.data?.code ?? 'PLAYBOOK_FAILED', error?.message ?? 'there was no answer');
}
