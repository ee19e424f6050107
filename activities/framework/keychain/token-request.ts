/** One request to a token endpoint, with the guards and limits of the http kind. */
import { isMapping, type JsonObject } from '../../../src/language/plan';
import { CodedError } from '../../../src/language/errors';
import { rootCause } from '../tool/cause';
import { jsonOr } from '../../../src/language/plan/json-text';
import { ToolError } from '../tool/outcome';
import { entryError, type EntryRequest } from './resolved';

const LIMITS = { connectTimeoutMs: 10_000, readTimeoutMs: 20_000, maxResponseBytes: 1024 * 1024 };

export interface TokenRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @throws ToolError `KEYCHAIN_TOKEN` for anything but a mapping with status 2xx; contains nothing of the request */
export async function sendForm(
  { entry, signal }: EntryRequest,
  { url, method, headers, body }: TokenRequest,
): Promise<JsonObject> {
  const { host } = new URL(url);
  let status: number;
  let text: string;
  // Most workers never ask for a token, and loading an HTTP client is a tenth of their start.
  const { exchange, readBody: read } = await import('../http/transport.js');
  try {
    const response = await exchange({
      url: new URL(url),
      method,
      headers: { accept: 'application/json', 'user-agent': 'noetl-temporal', ...headers },
      secretHeaders: Object.keys(headers),
      ...(method !== 'GET' && { body }),
      followRedirects: false,
      verifySsl: true,
      ...LIMITS,
      signal,
    });
    status = response.status;
    text = (await read(response)).toString('utf8');
  } catch (error) {
    throw error instanceof ToolError ? error : failure(entry, host, rootCause(error));
  }
  const data = jsonOr(text, undefined);
  const answer = isMapping(data) ? (data as JsonObject) : undefined;
  if (status >= 200 && status <= 299 && answer) return answer;
  const why = [answer?.['error'], answer?.['error_description']]
    .filter((part) => typeof part === 'string')
    .join(': ');
  throw entryError(
    entry,
    'KEYCHAIN_TOKEN',
    `${host} denied the token with status ${status}${why && ` (${why})`}`,
    {
      kind: status === 429 ? 'rate_limit' : status >= 500 ? 'server_error' : 'auth',
      retryable: status === 429 || status >= 500,
      token_status: status,
    },
  );
}

function failure(entry: EntryRequest['entry'], host: string, cause: NodeJS.ErrnoException): ToolError {
  // Refused by the guards of http.
  if (cause instanceof CodedError)
    return entryError(entry, cause.code, cause.message, { kind: 'validation', retryable: false });
  return entryError(
    entry,
    'KEYCHAIN_UNREACHABLE',
    `${host} cannot be reached: ${cause.code ?? cause.message}`,
    { kind: 'connection', retryable: true },
  );
}
