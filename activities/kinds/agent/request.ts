/** A request of the Messages API, sent as those of `http`: the same credentials, guards, proxies and limits. */
import { type JsonObject, type TaskCall } from '../../../src/language/plan';
import { jsonOr } from '../../../src/language/plan/json-text';
import {
  mappingIn,
  mappingsIn,
  MAX_TOKENS,
  textIn,
  toolsOf,
  type TurnAnswer,
} from '../../../src/language/kinds/agent-turn';
import { statusFailure, transportFailure } from '../../framework/http/errors';
import { headersOf, httpUrl, requestBase } from '../../framework/http/request';
import { exchange, type HttpResponse, readBody } from '../../framework/http/transport';
import { shortenedText } from '../../framework/tool/bounded';
import { type Deadline } from '../../framework/tool/deadline';
import { booleanField, field, numberField, textField } from '../../framework/tool/fields';
import { invalidInput, ToolError } from '../../framework/tool/outcome';
import { type ToolContext } from '../../framework/tool/tool';

const ENDPOINT = 'https://api.anthropic.com';
const VERSION = '2023-06-01';
const DEFAULT_MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const ERROR_BYTES = 64 * 1024;

interface Turn {
  readonly call: TaskCall;
  readonly context: ToolContext;
  readonly deadline: Deadline;
}

/** @throws ToolError `HTTP_<status>`, `NO_MODEL_ANSWER`, `NO_CREDENTIAL`, and those of requests */
export async function answerOf(
  { call, context, deadline }: Turn,
  messages: readonly JsonObject[],
): Promise<TurnAnswer> {
  if (field(call.config, 'auth', 'credential') === undefined)
    throw invalidInput('agent: set `auth`, the credential with the API key', 'NO_CREDENTIAL');
  const endpoint = (textField(call, 'endpoint')?.trim() || ENDPOINT).replace(/\/+$/, '');
  const url = httpUrl(call, `${endpoint}/v1/messages`);
  const body = JSON.stringify(bodyOf(call, messages));
  const base = await requestBase(call, context, deadline);
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'anthropic-version': VERSION,
    'idempotency-key': `${call.idempotency_key}@${call.attempt}`,
    ...headersOf(call),
  };
  const maxResponseBytes = numberField(call, ['max_response_bytes'], DEFAULT_MAX_RESPONSE_BYTES);
  try {
    const identified = base.identified(url, headers);
    const response = await exchange({ ...base, ...identified, method: 'POST', body, maxResponseBytes });
    if (response.status < 200 || response.status > 299) throw await refusal(response);
    return received((await readBody(response)).toString('utf8'), response, context);
  } catch (error) {
    throw deadline.reason() ?? transportFailure('POST', url, error, base);
  }
}

function bodyOf(call: TaskCall, messages: readonly JsonObject[]): JsonObject {
  const { system = '', temperature = null } = call.config;
  const thinking = textField(call, 'thinking');
  const effort = textField(call, 'effort');
  const tools = toolsOf(call.config).map(({ name = null, description = '', input_schema }) => ({
    name,
    description,
    input_schema: { type: 'object', properties: {}, ...mappingIn(input_schema) },
  }));
  return {
    model: textField(call, 'model') ?? null,
    max_tokens: numberField(call, ['max_tokens'], MAX_TOKENS),
    ...(system && { system: textIn(system) }),
    messages: booleanField(call, ['prompt_cache'], true) ? marked(messages) : [...messages],
    ...(temperature !== null && { temperature: numberField(call, ['temperature'], 0) }),
    ...(thinking && { thinking: { type: thinking } }),
    ...(effort && { output_config: { effort } }),
    ...(tools.length > 0 && { tools }),
  };
}

/** Marks what the user said last: the next turn reads what is before it from the server's cache. */
function marked(messages: readonly JsonObject[]): JsonObject[] {
  const { role = null, content = '' } = messages.at(-1)!;
  if (role !== 'user') return [...messages];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : mappingsIn(content);
  const end = { ...blocks.at(-1), cache_control: { type: 'ephemeral' } };
  return [...messages.slice(0, -1), { role, content: [...blocks.slice(0, -1), end] }];
}

/** A response that is not 2xx, with the words of the API. */
async function refusal(response: HttpResponse): Promise<ToolError> {
  const failure = statusFailure('POST', response);
  const body = await readBody(response, ERROR_BYTES).catch(() => Buffer.alloc(0));
  const { message } = mappingIn(mappingIn(jsonOr(body.toString('utf8'), null))['error']);
  const why = typeof message === 'string' ? `: ${shortenedText(message, 500)}` : '';
  const http = { status: response.status, headers: {} };
  return new ToolError({ ...failure, message: `agent: ${failure.message}${why}` }, { http });
}

function received(text: string, { status, url }: HttpResponse, { digitsLost }: ToolContext): TurnAnswer {
  const { content, stop_reason = '', usage } = mappingIn(jsonOr(text, null, digitsLost));
  if (Array.isArray(content))
    return { content: mappingsIn(content), stop_reason: textIn(stop_reason), usage: mappingIn(usage) };
  throw new ToolError({
    kind: 'server_error',
    code: 'NO_MODEL_ANSWER',
    message: `agent: POST ${url.origin}${url.pathname} answered ${status} without a message of the model: ${shortenedText(text, 200)}`,
  });
}
