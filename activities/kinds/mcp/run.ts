/**
 * Tool kind `mcp`. The result is `{status: ok, server, endpoint, method, tool, arguments, data, text, result,
 * initialize}`: `data` is the structured content, otherwise the text, read as JSON if it is JSON. A failure is an error
 * with a result as well, `{status: error, server, endpoint, method, tool, error, text}`, for arcs that look at its status.
 */
import {
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  type TaskCall,
} from '../../../src/language/plan';
import { type DigitsLost, jsonOr } from '../../../src/language/plan/json-text';
import { statusFailure, transportFailure } from '../../framework/http/errors';
import { closeAgents } from '../../framework/http/agents';
import { headersOf, requestBase } from '../../framework/http/request';
import { exchange, readBody } from '../../framework/http/transport';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { field, jsonTypeName, mappingField, textField } from '../../framework/tool/fields';
import {
  failedTask,
  invalidInput,
  type OutcomeParts,
  succeeded,
  ToolError,
} from '../../framework/tool/outcome';
import { type Tool, type ToolContext } from '../../framework/tool/tool';
import { conversationFailure, failureOfResult } from './failure';
import { type Conversation, type McpServer, serverOf } from './server';
import { allPages, withMcpSession } from './session';

export const mcp: Tool = {
  kind: 'mcp',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => ask(call, context, deadline)),
  close: closeAgents,
};

interface Question {
  readonly method: string;
  readonly tool: string;
  readonly params: JsonObject;
}

async function ask(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const server = serverOf(call);
  const question = questionOf(call);
  const { method, tool, params } = question;
  const about: JsonObject = {
    server: server.name,
    endpoint: 'endpoint' in server ? server.endpoint.origin + server.endpoint.pathname : null,
    method,
    tool: tool || null,
  };
  const failed = (error: string, text = error): OutcomeParts => ({
    result: { status: 'error', ...about, error, text },
  });
  try {
    const { result, initialize, meta } = await answerOf(server, question, { call, context, deadline });
    const text = textOf(result);
    const failure = failureOfResult(tool, result, text);
    if (failure)
      return failedTask({ ...failure, retryable: false }, { meta, ...failed(failure.message, text) });
    const data =
      method === 'tools/list' ? (result['tools'] ?? null) : dataOf(result, text, context.digitsLost);
    return succeeded(
      { status: 'ok', ...about, arguments: params['arguments'] ?? params, data, text, result, initialize },
      { meta },
    );
  } catch (error) {
    const { outcome } = deadline.reason() ?? conversationFailure(error, method);
    return { ...outcome, ...failed(outcome.error?.message ?? '') };
  }
}

interface Answer {
  readonly result: JsonObject;
  readonly initialize: JsonObject;
  readonly meta: JsonObject;
}

/** Repeated once in a new session if the first has expired: the server did not process the request then. */
async function answerOf(server: McpServer, question: Question, about: Conversation): Promise<Answer> {
  if (question.method === 'health') return health(server, about);
  try {
    return await conversed(server, question, about);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'SESSION_EXPIRED') throw error;
    return conversed(server, question, about);
  }
}

async function conversed(
  server: McpServer,
  { method, params }: Question,
  about: Conversation,
): Promise<Answer> {
  const isList = /^(tools|resources|prompts)\/list$/.test(method) && params['cursor'] === undefined;
  const { value, meta } = await withMcpSession(server, about, async (session) => ({
    result: await (isList ? allPages(session, method, params) : session.request(method, params)),
    initialize: session.initialize,
  }));
  return { ...value, meta };
}

/** GET `/healthz` of the server, which is not part of the protocol. */
async function health(server: McpServer, { call, context, deadline }: Conversation): Promise<Answer> {
  if ('command' in server)
    throw invalidInput('mcp: health asks a server over HTTP, and this one is a process');
  const base = await requestBase(call, context, deadline);
  const url = new URL('/healthz', server.endpoint);
  try {
    const identified = base.identified(url, headersOf(call));
    const response = await exchange({ ...base, ...identified, method: 'GET', maxResponseBytes: 2 ** 20 });
    const text = (await readBody(response)).toString('utf8');
    if (response.status < 200 || response.status > 299) throw new ToolError(statusFailure('GET', response));
    return { result: { content: [{ type: 'text', text }] }, initialize: {}, meta: {} };
  } catch (error) {
    throw transportFailure('GET', url, error, base);
  }
}

/** @throws ToolError `INVALID_INPUT`, `MISSING_FIELD` */
function questionOf(call: TaskCall): Question {
  const method = textField(call, 'method', 'action')?.trim() || 'tools/call';
  const params = mappingField(call, 'params');
  if (method !== 'tools/call') return { method, tool: '', params: params ?? call.input };
  const tool = textField(call, 'tool', 'tool_name') ?? textField({ ...call, config: params ?? {} }, 'name');
  if (!tool) throw invalidInput('mcp: tools/call needs `tool`, the name of the tool', 'MISSING_FIELD');
  const own = argumentsOf(field(call.config, 'arguments', 'args') ?? params?.['arguments']);
  // The key lets a server see that two calls are one unit of work.
  const _meta = { 'io.noetl/idempotency-key': call.idempotency_key };
  return { method, tool, params: { name: tool, arguments: own ?? call.input, _meta } };
}

/** A mapping, or its text as JSON. */
function argumentsOf(given: Json | undefined): JsonObject | undefined {
  if (given === undefined || given === '') return undefined;
  const value = typeof given === 'string' ? jsonOr(given, given) : given;
  if (value === null) return undefined;
  if (isMapping(value)) return value as JsonObject;
  throw invalidInput(`mcp: arguments must be a mapping, or one as JSON, not ${jsonTypeName(value)}`);
}

/** The text contents, one a line; of a result without contents, its JSON. */
function textOf(result: JsonObject): string {
  const { content } = result;
  if (!Array.isArray(content)) return JSON.stringify(result);
  return content
    .flatMap((one) => (isMapping(one) && typeof one['text'] === 'string' ? [one['text']] : []))
    .join('\n');
}

function dataOf(result: JsonObject, text: string, digitsLost: DigitsLost | undefined): Json {
  const structured = result['structuredContent'];
  if (structured !== undefined && structured !== null) return structured;
  if (!Array.isArray(result['content'])) return result;
  // Pictures and the like.
  if (text === '' && result['content'].length > 0) return result['content'];
  return jsonOr(text, text, digitsLost);
}
