/** Requests to the facade that serves this page. */

import { CodedError } from '../../src/language/errors';

/** A refusal by the facade, or that it cannot be reached (`status` 0). */
export class ServerError extends CodedError {
  constructor(
    readonly status: number,
    code: string,
    message: string,
  ) {
    super(code, message);
  }
}

/** Dispatches `change` when the server stops or starts responding. */
export const connection = new EventTarget();
let lost = false;

/** @returns whether the last request got no response */
export function isLost(): boolean {
  return lost;
}

function noteAnswer(answered: boolean): void {
  if (lost === !answered) return;
  lost = !answered;
  connection.dispatchEvent(new Event('change'));
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @throws ServerError; AbortError when `signal` was aborted */
export async function askApi<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return (await answered<T>(path, options)).body;
}

/** As `askApi`, with the headers of the response. */
export async function answered<T>(
  path: string,
  options: RequestOptions = {},
): Promise<{ body: T; headers: Headers }> {
  const response = await opened(path, options);
  const wait = response.status === 202 ? response.headers.get('retry-after') : null;
  if (wait !== null) {
    // The response is being derived from a long history.
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, Number(wait) * 1000));
    options.signal?.throwIfAborted();
    return await answered<T>(path, options);
  }
  return { body: (await readBody(response, options.signal)) as T, headers: response.headers };
}

/** `{}` for an answer without a body. One that is cut off is no answer. */
async function readBody(response: Response, signal?: AbortSignal): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    signal?.throwIfAborted();
    throw unreachable(error);
  });
  return text === '' ? {} : JSON.parse(text);
}

function unreachable(error: unknown): ServerError {
  noteAnswer(false);
  return Object.assign(new ServerError(0, 'UNREACHABLE', 'The server cannot be reached.'), { cause: error });
}

/** As `askApi`, with an unread body: for streams. */
export async function opened(
  path: string,
  { method, body, signal, headers }: RequestOptions = {},
): Promise<Response> {
  const response = await fetch(path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      accept: 'application/json',
      'x-noetl-console': '1',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw unreachable(error);
  });
  noteAnswer(true);
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const message = typeof problem['detail'] === 'string' ? problem['detail'] : `HTTP ${response.status}`;
  if (response.status === 401) connection.dispatchEvent(new Event('unauthorized'));
  throw new ServerError(response.status, String(problem['code'] ?? 'HTTP'), message);
}
