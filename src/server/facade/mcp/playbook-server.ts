/** A playbook as a server of the Model Context Protocol: one tool, which runs it. */
import { type Response } from 'express';
import { excerpt, isMapping, type JsonObject } from '../../../language/plan';
import { temporalStatus } from '../../../temporal/client';
import { type CatalogEntry } from '../../store';
import { entryOf } from '../catalog/reference';
import { type RouteServices } from '../services';
import { type SubmitRequest } from '../submit/submitter';
import { mcpCallerOf, refuseEndless } from './callers';
import { RPC, RPC_TIMEOUT, RpcError } from './json-rpc';
import { refuseHidden, resultText, toolName, toolOf } from './tool';
import { type ExecutionEnd, executionEnd, waits } from './waits';

/** What every client understands; a newer one asks for its own. */
const PROTOCOL = '2024-11-05';
/** Under which kind `mcp` sends the key of a task. */
const TASK_KEY = 'io.noetl/idempotency-key';

export interface McpRequest {
  /** Of the playbook. */
  readonly path: string;
  readonly caller: string;
  readonly response: Response;
  readonly params: Readonly<Record<string, unknown>>;
}

export class PlaybookServer {
  private readonly methods = new Map<string, (request: McpRequest) => object | Promise<object>>([
    ['initialize', ({ params }) => this.initialize(params['protocolVersion'])],
    ['ping', () => ({})],
    ['tools/list', (request) => this.list(request)],
    ['tools/call', (request) => waits.during(request.caller, () => this.call(request))],
  ]);

  constructor(private readonly services: RouteServices) {}

  /** The result of a method. @throws RpcError, FacadeError */
  async answer(method: unknown, request: McpRequest): Promise<object> {
    const answer = this.methods.get(method as string);
    if (answer) return await answer(request);
    const methods = [...this.methods.keys()].join(', ');
    throw new RpcError(RPC.method, `there is no method '${shown(method)}' here, only ${methods}`);
  }

  private initialize(protocol: unknown): object {
    const isVersion = typeof protocol === 'string' && /^\d{4}-\d\d-\d\d$/.test(protocol);
    return {
      protocolVersion: isVersion ? protocol : PROTOCOL,
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: 'noetl-playbook-mcp', version: this.services.version },
    };
  }

  private async exposed(path: string): Promise<CatalogEntry> {
    const entry = await entryOf(this.services.library.catalog, { path }, 'Playbook');
    refuseHidden(entry);
    return entry;
  }

  private async list({ path, caller }: McpRequest): Promise<object> {
    const entry = await this.exposed(path);
    const form = await this.services.threads.run('form', { content: entry.content }, caller);
    return { tools: [toolOf(entry, form)] };
  }

  private async call({ path, caller, response, params }: McpRequest): Promise<object> {
    const entry = await this.exposed(path);
    const { name, arguments: payload = {}, _meta: meta } = params;
    const own = toolName(entry);
    if (name !== undefined && name !== own)
      throw new RpcError(RPC.params, `this endpoint has no tool '${shown(name)}'; its tool is '${own}'`);
    if (!isMapping(payload)) throw new RpcError(RPC.params, '`arguments` must be an object');
    const request: SubmitRequest = {
      reference: { path: entry.path },
      payload: payload as JsonObject,
      principal: caller,
      returnResult: true,
    };
    const key = isMapping(meta) ? meta[TASK_KEY] : undefined;
    const isKey = typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key);
    const id = isKey
      ? await this.startOnce(entry.path, request, key)
      : (await this.services.submitter.submit(request)).executionId;
    const end = await executionEnd(this.services.client, id, response);
    const data = { noetl_execution_id: id, noetl_path: entry.path };
    if (end) return { ...resultOf(end, id), _meta: data };
    const message = `'${entry.path}' has not ended yet: look at execution ${id}, which goes on`;
    throw new RpcError(RPC_TIMEOUT, message, { execution_id: id });
  }

  /**
   * A task that is repeated because its worker was lost gets the execution that it started; one whose execution failed
   * gets another. @returns the execution's id
   */
  private async startOnce(path: string, request: SubmitRequest, taskKey: string): Promise<string> {
    const { client, submissions, submitter } = this.services;
    const called = await mcpCallerOf(client, taskKey);
    const keyOwner = `mcp/${request.principal}/${called?.calledFrom.family ?? ''}`;
    if (called) refuseEndless(path, called.calledFrom, await submissions.count(keyOwner));
    for (let attempt = 1; ; attempt += 1) {
      const key = `${taskKey}#${attempt}`;
      const { executionId, replayed } = await submitter.submit({ ...request, ...called, keyOwner, key });
      if (!replayed) return executionId;
      const status = await temporalStatus(client, executionId);
      if (status === 'RUNNING' || status === 'COMPLETED') return executionId;
    }
  }
}

/** How an execution ended, as the result of a tool. */
function resultOf(end: ExecutionEnd, id: string): object {
  if ('failure' in end) return { content: [{ type: 'text', text: end.failure }], isError: true };
  const isLarge = 'bytes' in end;
  const result = isLarge ? null : end.result;
  const text = isLarge
    ? `The result has ${end.bytes} bytes, too many for an answer: read it from execution ${id}.`
    : resultText(result);
  return {
    content: [{ type: 'text', text }],
    ...(isMapping(result) && { structuredContent: result }),
    isError: false,
  };
}

function shown(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, 100) : excerpt(name, 100);
}
