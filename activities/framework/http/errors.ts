/** Maps request failures to outcomes. */
import { CodedError, hasCode } from '../../../src/language/errors';
import { kindOfStatus } from '../../../src/language/kinds/failures';
import { compact, type ErrorKind } from '../../../src/language/plan';
import { rootCause } from '../tool/cause';
import { type ToolFailure, ToolError } from '../tool/outcome';
import { isTlsFailure, tlsHint } from '../tool/tls-failure';
import { type HttpResponse } from './transport';

/** A response that is not 2xx. `retryable`: 429, 408 and all 5xx. */
export function statusFailure(method: string, response: HttpResponse): ToolFailure {
  const { status } = response;
  const retryAfter = retryAfterSeconds(String(response.headers['retry-after'] ?? ''));
  return {
    kind: kindOfStatus(status),
    code: `HTTP_${status}`,
    message: `${method} ${place(response.url)} answered ${status}`,
    status,
    status_code: status,
    retryable: status === 429 || status === 408 || status >= 500,
    ...compact({ retry_after: retryAfter }),
  };
}

/** `Retry-After` in seconds; a date is converted to the seconds until then. */
export function retryAfterSeconds(text: string, now: number = Date.now()): number | undefined {
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

/** Limits of a request, milliseconds, for messages. */
export interface TimeLimits {
  readonly connectTimeoutMs: number;
  readonly readTimeoutMs: number;
}

/** A request without a response, or with an unreadable one. */
export function transportFailure(method: string, url: URL, error: unknown, limits: TimeLimits): ToolError {
  if (error instanceof ToolError) return error;
  const cause = rootCause(error);
  const request = `${method} ${place(url)}`;
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  const fail = (kind: ErrorKind, name: string, why: string, retryable: boolean): ToolError =>
    new ToolError({ kind, code: name, message: `${request}: ${why}`, retryable });
  if (hasCode(cause, 'TOO_MANY_REDIRECTS')) return fail('client_error', cause.code, cause.message, false);
  if (cause instanceof CodedError) return fail('validation', cause.code, cause.message, false);
  const connect = `${limits.connectTimeoutMs / 1000} s (spec.timeout.connect)`;
  const read = `${limits.readTimeoutMs / 1000} s (spec.timeout.read)`;
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return fail('timeout', 'CONNECT_TIMEOUT', `no connection within ${connect}`, true);
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return fail('timeout', 'READ_TIMEOUT', `no response within ${read}`, true);
  if (code === 'UND_ERR_BODY_TIMEOUT')
    return fail('timeout', 'READ_TIMEOUT', `the response stalled for ${read}`, true);
  const refusal = /^Proxy response \((\d+)\)/.exec(cause.message)?.[1];
  if (refusal)
    return fail(
      refusal === '407' ? 'auth' : 'connection',
      'PROXY_REFUSED',
      `the proxy answered ${refusal}`,
      refusal !== '407' && refusal !== '403',
    );
  if (code === 'ENOTFOUND')
    return fail('connection', 'DNS_NOT_FOUND', `the host name '${url.hostname}' is not known`, true);
  if (code === 'ECONNREFUSED')
    return fail('connection', 'CONNECTION_REFUSED', 'the connection was refused', true);
  if (isTlsFailure(code))
    return fail('connection', 'TLS_ERROR', `TLS failed (${code})${tlsHint(code, TLS_FIELDS)}`, false);
  if (code.startsWith('UND_ERR_INVALID_ARG'))
    return fail('validation', 'INVALID_REQUEST', cause.message, false);
  if (code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR')
    return fail('server_error', 'BAD_ENCODING', 'the response cannot be decompressed', true);
  return fail(
    'connection',
    code.startsWith('E') ? code : 'CONNECTION_LOST',
    `the connection failed (${code || cause.message})`,
    true,
  );
}

const TLS_FIELDS = { ca: 'tls.ca', identity: 'tls.cert, tls.key' };

/** Host and path only: a query may contain secrets. */
function place(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
