/** What went wrong with a request, in the words of outcomes. */
import { type ErrorKind } from '../../src/plan';
import { rootCause } from '../cause';
import { type Failure, ToolError } from '../outcome';
import { AddressDenied } from './guard';
import { type HttpResponse, ResponseTooLarge, TooManyRedirects } from './transport';

/** A response that is not 2xx. `retryable`: 429, 408 and all 5xx. */
export function statusFailure(method: string, response: HttpResponse): Failure {
  const { status } = response;
  const retryAfter = retryAfterSeconds(String(response.headers['retry-after'] ?? ''));
  return {
    kind: kindOfStatus(status),
    code: `HTTP_${status}`,
    message: `${method} ${place(response.url)} answered ${status}`,
    status,
    status_code: status,
    retryable: status === 429 || status === 408 || status >= 500,
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
}

function kindOfStatus(status: number): ErrorKind {
  if (status === 429) return 'rate_limit';
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'not_found';
  if (status === 408) return 'timeout';
  return status >= 500 ? 'server_error' : 'client_error';
}

/** `Retry-After` in seconds; a date is turned into the seconds until it. */
export function retryAfterSeconds(text: string, now: number = Date.now()): number | undefined {
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

/** A request that got no response. */
export function transportFailure(method: string, url: URL, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const cause = rootCause(error);
  const request = `${method} ${place(url)}`;
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  const fail = (kind: ErrorKind, name: string, why: string, retryable: boolean): ToolError =>
    new ToolError({ kind, code: name, message: `${request}: ${why}`, retryable });
  if (cause instanceof AddressDenied) return fail('validation', 'ADDRESS_DENIED', cause.message, false);
  if (cause instanceof ResponseTooLarge)
    return fail('validation', 'RESPONSE_TOO_LARGE', `${cause.message} (max_response_bytes)`, false);
  if (cause instanceof TooManyRedirects)
    return fail('client_error', 'TOO_MANY_REDIRECTS', cause.message, false);
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return fail('timeout', 'CONNECT_TIMEOUT', 'no connection in time', true);
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return fail('timeout', 'READ_TIMEOUT', 'no response in time', true);
  if (code === 'UND_ERR_BODY_TIMEOUT')
    return fail('timeout', 'READ_TIMEOUT', 'the response stopped in the middle', true);
  if (code === 'ENOTFOUND')
    return fail('connection', 'DNS_NOT_FOUND', `the host name '${url.hostname}' is not known`, true);
  if (code === 'ECONNREFUSED')
    return fail('connection', 'CONNECTION_REFUSED', 'the connection was refused', true);
  if (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME|EPROTO/.test(code))
    return fail('connection', 'TLS_ERROR', `TLS failed (${code})`, false);
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

/** Host and path: a query may hold secrets. */
function place(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
