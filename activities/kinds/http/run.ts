/**
 * Tool kind `http`. The result is `{status_code, headers, url, elapsed_ms, data}`, also for a failed response; a
 * response other than 2xx is an error (code `HTTP_<status>`). Writes carry an `Idempotency-Key`, the same for every
 * execution of this unit of work, unless the author set one.
 */
import { compact, type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { field, mappingField, numberField, textField } from '../../framework/tool/fields';
import { closeAgents } from '../../framework/http/agents';
import { requestBody, responseData } from '../../framework/http/body';
import { statusFailure, transportFailure } from '../../framework/http/errors';
import { queryPairs } from '../../framework/http/query';
import { headersOf, httpUrl, requestBase } from '../../framework/http/request';
import { exchange, type HttpRequest, type HttpResponse, readBody } from '../../framework/http/transport';
import { failedTask, invalidInput, succeeded } from '../../framework/tool/outcome';
import { type Bytes, saveBytes, saveTarget } from '../../framework/results/save-to';
import { storeFailure } from '../../framework/results/store-failure';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

const DEFAULT_MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const DEFAULT_MAX_SAVED_BYTES = 10 * 1024 * 1024 * 1024;
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

export const http: Tool = {
  kind: 'http',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => request(call, context, deadline)),
  close: closeAgents,
};

async function request(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const started = performance.now();
  const target = saveTarget(call, context, field(call.config, 'save_to'));
  const sent = await requestOf(call, context, deadline, target !== undefined);
  try {
    const response = await exchange(sent);
    const headers = response.headers as JsonObject;
    const isOk = response.status >= 200 && response.status <= 299;
    const type = String(headers['content-type'] ?? '');
    // The body of an error is read into memory, wherever the response would have gone.
    const inMemory = Math.min(sent.maxResponseBytes, target ? DEFAULT_MAX_RESPONSE_BYTES : Infinity);
    const data =
      target !== undefined && isOk
        ? { data: await saveBytes(call, bytesOf(response), target, context, deadline.signal) }
        : responseData(
            await readBody(response, inMemory),
            type,
            field(call.config, 'response_type'),
            context.digitsLost,
          );
    const elapsed_ms = Math.round(performance.now() - started);
    const result = { status_code: response.status, headers, url: response.url.href, elapsed_ms, ...data };
    return outcomeOf(sent.method, response, isOk, result);
  } catch (error) {
    throw deadline.reason() ?? transportFailure(sent.method, sent.url, storeFailure('http', error), sent);
  }
}

/** A body as received; its length is known if it is not compressed. */
function bytesOf({ headers, pieces }: HttpResponse): Bytes {
  const length = headers['content-encoding'] === undefined ? Number(headers['content-length']) : NaN;
  const contentType = String(headers['content-type'] ?? '') || null;
  return { pieces, contentType, ...(Number.isSafeInteger(length) && { total: length }) };
}

function outcomeOf(method: string, response: HttpResponse, isOk: boolean, result: JsonObject): Outcome {
  const parts = { http: { status: response.status, headers: response.headers as JsonObject } };
  if (isOk) return succeeded(result, parts);
  const failure = statusFailure(method, response);
  return failedTask({ ...failure, retryable: failure.retryable ?? false }, { ...parts, result });
}

async function requestOf(
  call: TaskCall,
  context: ToolContext,
  deadline: Deadline,
  isSaved: boolean,
): Promise<HttpRequest> {
  const base = await requestBase(call, context, deadline);
  const method = (textField(call, 'method') ?? 'GET').trim().toUpperCase();
  if (!/^[A-Z]+$/.test(method)) throw invalidInput(`http: '${method}' is not a method`);
  const headers = headersOf(call);
  const { body, contentType } = await requestBody(call, headers['content-type']);
  // Our boundary must win over a Content-Type set by the author.
  if (contentType?.startsWith('multipart/')) headers['content-type'] = contentType;
  else if (contentType) headers['content-type'] ??= contentType;
  headers['accept'] ??= 'application/json, text/plain;q=0.9, */*;q=0.8';
  if (WRITES.includes(method)) headers['idempotency-key'] ??= call.idempotency_key;
  const maxResponseBytes = numberField(
    call,
    ['max_response_bytes'],
    isSaved ? DEFAULT_MAX_SAVED_BYTES : DEFAULT_MAX_RESPONSE_BYTES,
  );
  const url = httpUrl(call, textField(call, 'url', 'endpoint'));
  for (const [name, value] of queryPairs(mappingField(call, 'params', 'query') ?? {}))
    url.searchParams.append(name, value);
  return { method, maxResponseBytes, ...compact({ body }), ...base, ...base.identified(url, headers) };
}
