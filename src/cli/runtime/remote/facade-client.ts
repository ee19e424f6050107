/** Client for a facade: its address, responses, and errors as messages for users. */
import fs from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { compact, isMapping } from '../../../language/plan';
import { EnvironmentError, messageOf } from '../../../language/errors';
import { configuredFacade, type FacadeAddress } from '../../../temporal/worker/facade-address';
import { UsageError } from '../../errors';
import { waitingFor } from '../../output/waiting';

/** The default address of `dev` and `serve`. */
const USUAL = 'http://127.0.0.1:8082';
const LIMIT_MS = 60_000;
const SAVE_LIMIT_MS = 600_000;
/** A busy facade may take a moment. */
const SAY_AFTER_MS = 2_000;

/**
 * The facade of `--server`, else NOETL_FACADE_URL, else the default one; NOETL_TOKEN is its token. @throws
 * UsageError
 */
export function facadeAddressOf(option: string | undefined): FacadeAddress {
  const env = { ...process.env, ...compact({ NOETL_FACADE_URL: option }) };
  try {
    return configuredFacade({ ...env, NOETL_FACADE_URL: env['NOETL_FACADE_URL'] || USUAL })!;
  } catch {
    throw new UsageError(`--server ${option ?? env['NOETL_FACADE_URL']}: expected e.g. ${USUAL}`);
  }
}

export interface Asking {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a request to the facade. While it derives the answer from a long history, asks again.
 *
 * @throws UsageError with the facade's code for an invalid request (`details`: the whole response);
 * EnvironmentError `FACADE_UNREACHABLE`, `FACADE_DENIED`, `FACADE_FAILED`
 */
export async function askServer<T>(server: FacadeAddress, path: string, asking: Asking = {}): Promise<T> {
  const response = await send(server, path, asking, AbortSignal.timeout(LIMIT_MS));
  const isDeriving = response.status === 202 && response.headers.has('retry-after');
  if (isDeriving) {
    await response.body?.cancel();
    await sleep(Number(response.headers.get('retry-after')) * 1000);
    return await askServer(server, path, asking);
  }
  if (response.ok) return (await response.json().catch(() => undefined)) as T;
  throw await refusal(server, response);
}

/** Streams the response into a file, however long it is. @throws as `askServer` */
export async function saveAnswer(server: FacadeAddress, path: string, file: string): Promise<void> {
  const response = await send(server, path, {}, AbortSignal.timeout(SAVE_LIMIT_MS));
  if (!response.ok || !response.body) throw await refusal(server, response);
  try {
    await pipeline(response.body, fs.createWriteStream(file, { mode: 0o600 }));
  } catch (error) {
    throw unreachable(server.url, error);
  }
}

/** The error for an unsuccessful response. */
async function refusal(server: FacadeAddress, response: Response): Promise<Error> {
  const { status } = response;
  const answer: unknown = await response.json().catch(() => undefined);
  const body = isMapping(answer) ? answer : {};
  const detail = typeof body['detail'] === 'string' ? body['detail'] : `HTTP ${status}`;
  if (status === 401 || status === 403)
    return new EnvironmentError('FACADE_DENIED', `${server.url} refuses: ${detail}`, [
      'Set NOETL_TOKEN to a token with that permission (noetl-temporal tokens create).',
    ]);
  if (body['code'] === 'NO_WORKFLOW_WORKER')
    return new EnvironmentError('WORKER_SILENT', detail, [
      'Start one (noetl-temporal worker --workflows), and try again.',
    ]);
  if (body['code'] === 'NO_STORAGE') return new EnvironmentError('NO_STORAGE', `${server.url}: ${detail}`);
  if (status < 500 && status !== 429) {
    const { code } = body;
    return new UsageError(detail, { details: body }, typeof code === 'string' ? code : undefined);
  }
  return new EnvironmentError('FACADE_FAILED', `${server.url} failed: ${detail}`, [
    'See its log for the reason.',
  ]);
}

export interface StreamedEvent {
  /** `message` unless the server names it. */
  readonly event: string;
  /** Empty if the server sends none. */
  readonly id: string;
  readonly data: string;
}

/**
 * Server-sent events, until the server ends the stream; the final event is `end`.
 *
 * @throws as `askServer`
 */
export async function* streamServer(
  server: FacadeAddress,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const response = await send(server, path, { headers: { ...headers, accept: 'text/event-stream' } }, signal);
  if (!response.ok) throw await refusal(server, response);
  if (response.status === 204 || !response.body) return yield { event: 'end', id: '', data: '' };
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of response.body) {
      text += decoder.decode(piece as Uint8Array, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const frame = streamedEvent(text.slice(0, end));
        text = text.slice(end + 2);
        if (frame) yield frame;
      }
    }
  } catch (error) {
    throw unreachable(server.url, error);
  }
}

/** Undefined for a comment. */
function streamedEvent(frame: string): StreamedEvent | undefined {
  const fields = frame.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const valuesOf = (name: string): string[] =>
    fields.flatMap((field) => (field?.[1] === name ? (field[2] ?? '') : []));
  const data = valuesOf('data');
  return data.length === 0
    ? undefined
    : {
        event: valuesOf('event').at(-1) ?? 'message',
        id: valuesOf('id').at(-1) ?? '',
        data: data.join('\n'),
      };
}

async function send(
  { url, token }: FacadeAddress,
  path: string,
  { method = 'GET', body, headers }: Asking,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const answer = fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal,
    });
    return await waitingFor(`the facade at ${url}`, answer, SAY_AFTER_MS);
  } catch (error) {
    throw unreachable(url, error);
  }
}

function unreachable(url: string, error: unknown): EnvironmentError {
  const cause = (error as Error).cause ?? error;
  const why =
    (cause as NodeJS.ErrnoException).code === 'ERR_SSL_WRONG_VERSION_NUMBER'
      ? 'it speaks http, not https'
      : messageOf(cause).trim();
  return new EnvironmentError('FACADE_UNREACHABLE', `no facade answers at ${url}: ${why}`, [
    'Start one (noetl-temporal dev, or serve), or use another: --server URL, NOETL_FACADE_URL.',
  ]);
}
