/**
 * Tool kind `http`. The result is `{status_code, headers, url, elapsed_ms, data}`, also for a failed response; a
 * response other than 2xx is an error (code `HTTP_<status>`). Writes carry an `Idempotency-Key`, the same for every
 * execution of this unit of work, unless the author set one.
 */
import { compact, type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { resolveAuth } from '../../framework/credentials/auth';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { booleanField, field, mappingField, numberField, textField } from '../../framework/tool/fields';
import { closeAgents } from '../../framework/http/agents';
import { requestAuth } from '../../framework/http/auth';
import { requestBody, responseData } from '../../framework/http/body';
import { statusFailure, transportFailure } from '../../framework/http/errors';
import { queryPairs } from '../../framework/http/query';
import { isCertificate, httpTls } from '../../framework/http/tls';
import { exchange, type HttpRequest, type HttpResponse, readBody } from '../../framework/http/transport';
import { failedTask, invalidInput, succeeded } from '../../framework/tool/outcome';
import { type Bytes, saveBytes, saveTarget } from '../../framework/results/save-to';
import { storeFailure } from '../../framework/results/store-failure';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

const DEFAULT_CONNECT_TIMEOUT_S = 10;
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
  const credential = await resolveAuth(call, context.credentials);
  const tls = await httpTls(call, credential);
  const auth = requestAuth(isCertificate(credential) ? undefined : credential);
  const method = (textField(call, 'method') ?? 'GET').trim().toUpperCase();
  if (!/^[A-Z]+$/.test(method)) throw invalidInput(`http: '${method}' is not a method`);
  const headers = headersOf(call);
  const { body, contentType } = await requestBody(call, headers['content-type']);
  // Our boundary must win over a Content-Type set by the author.
  if (contentType?.startsWith('multipart/')) headers['content-type'] = contentType;
  else if (contentType) headers['content-type'] ??= contentType;
  headers['accept'] ??= 'application/json, text/plain;q=0.9, */*;q=0.8';
  headers['accept-encoding'] ??= 'gzip, deflate, br';
  headers['user-agent'] ??= 'noetl-temporal';
  if (WRITES.includes(method)) headers['idempotency-key'] ??= call.idempotency_key;
  const url = address(call, auth.query);
  const basic = userInfo(url);
  if (basic) headers['authorization'] ??= basic;
  // Trace headers are allowed per host: a redirect to another host must not carry them.
  const traced = Object.entries(context.traceHeaders?.(url) ?? {}).filter(([name]) => !(name in headers));
  Object.assign(headers, Object.fromEntries(traced));
  const secretHeaders = [...Object.keys(auth.headers), ...traced.map(([name]) => name)].map((name) =>
    name.toLowerCase(),
  );
  for (const [name, value] of Object.entries(auth.headers)) headers[name.toLowerCase()] = value;
  return {
    url,
    method,
    headers,
    secretHeaders,
    isSecret: context.redact && ((text) => context.redact!(text) !== text),
    ...compact({ body }),
    followRedirects: booleanField(call, ['follow_redirects'], true),
    verifySsl: booleanField(call, ['verify_ssl', 'verify'], verifyOf(call)),
    tls,
    proxy: proxyField(call),
    connectTimeoutMs: Math.min(call.timeout.connect ?? DEFAULT_CONNECT_TIMEOUT_S, deadline.seconds) * 1000,
    readTimeoutMs: (call.timeout.read ?? deadline.seconds) * 1000,
    maxResponseBytes: numberField(
      call,
      ['max_response_bytes'],
      isSaved ? DEFAULT_MAX_SAVED_BYTES : DEFAULT_MAX_RESPONSE_BYTES,
    ),
    signal: deadline.signal,
  };
}

/** `tls.verify`, if `verify_ssl` is not set. */
function verifyOf(call: TaskCall): boolean {
  const verify = mappingField(call, 'tls')?.['verify'];
  return verify === undefined || verify === null || !/^(false|no|off|0)$/i.test(String(verify).trim());
}

/** `false` and `''` mean no proxy, whatever the environment says. */
function proxyField(call: TaskCall): string | undefined {
  const value = call.config['proxy'];
  return value === false || value === '' ? 'none' : textField(call, 'proxy');
}

function address(call: TaskCall, authQuery: Record<string, string>): URL {
  const text = textField(call, 'url', 'endpoint')?.trim();
  if (!text) throw invalidInput('http: no url provided (url or endpoint)', 'INVALID_URL');
  if (!URL.canParse(text)) throw invalidInput(`http: '${text}' is not a URL`, 'INVALID_URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalidInput(`http: '${url.protocol}' is not http: or https:`, 'INVALID_URL');
  }
  for (const [name, value] of queryPairs(mappingField(call, 'params', 'query') ?? {}))
    url.searchParams.append(name, value);
  for (const [name, value] of Object.entries(authQuery)) url.searchParams.set(name, value);
  return url;
}

/** `https://user:password@host` becomes basic auth and is removed from the URL, which results and messages show. */
function userInfo(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/**
 * Lower-case names. Null omits a header; a list is joined. @throws ToolError for characters that headers cannot contain
 */
function headersOf(call: TaskCall): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(mappingField(call, 'headers') ?? {})) {
    if (value === null || value === undefined) continue;
    const text = Array.isArray(value)
      ? value.join(', ')
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw invalidInput(`http: '${name}' is not a header name`, 'INVALID_HEADER');
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
      throw invalidInput(
        `http: header '${name}' has a character that headers cannot contain`,
        'INVALID_HEADER',
      );
    }
    headers[name.toLowerCase()] = text.trim();
  }
  return headers;
}
