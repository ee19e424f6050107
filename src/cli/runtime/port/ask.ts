/** Requests at a port: responses, and errors as messages for users. */
import fs from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMapping } from '../../../language/plan';
import { EnvironmentError } from '../../../language/errors';
import { type ResponseHere } from '../../../server/facade/in-process';
import { UsageError } from '../../errors';
import { SaidProgress } from '../../output/progress';
import { type Port } from './port';

const LIMIT_MS = 60_000;
const SAVE_LIMIT_MS = 600_000;

export interface Asking {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Asks for a document. While it is derived from a long history, says how far that is, and asks again.
 *
 * @throws UsageError with the facade's code for an invalid request (`details`: the whole response);
 * EnvironmentError `FACADE_UNREACHABLE`, `FACADE_DENIED`, `FACADE_FAILED`; errors of a handler in this process
 */
export async function ask<T>(port: Port, path: string, asking: Asking = {}): Promise<T> {
  const progress = new SaidProgress('events read');
  for (;;) {
    const response = await send(port, path, asking, AbortSignal.timeout(LIMIT_MS));
    if (response.status >= 300) throw await refusal(port, response);
    const answer = response.status === 204 ? undefined : await response.json();
    if (response.status !== 202 || !response.headers.has('retry-after')) return answer as T;
    progress.to((answer as { readonly deriving: { readonly events: number } }).deriving.events);
    // In this process nobody else is kept waiting.
    if (port.url !== undefined) await sleep(Number(response.headers.get('retry-after')) * 1000);
  }
}

/** Streams the response into a file, however long it is. @throws as `ask` */
export async function saveAnswer(port: Port, path: string, file: string): Promise<void> {
  const response = await send(port, path, {}, AbortSignal.timeout(SAVE_LIMIT_MS));
  if (response.status >= 300 || !response.body) throw await refusal(port, response);
  await pipeline(response.body, fs.createWriteStream(file, { mode: 0o600 }));
}

async function refusal(port: Port, response: ResponseHere): Promise<Error> {
  const answer: unknown = await response.json().catch(() => undefined);
  return refusalOf(response.status, isMapping(answer) ? answer : {}, port.url);
}

/** The error for an unsuccessful response. @param url of a facade elsewhere */
export function refusalOf(status: number, body: Readonly<Record<string, unknown>>, url?: string): Error {
  const detail = typeof body['detail'] === 'string' ? body['detail'] : `HTTP ${status}`;
  if (url !== undefined && (status === 401 || status === 403))
    return new EnvironmentError('FACADE_DENIED', `${url} refuses: ${detail}`, [
      'Set NOETL_TOKEN to a token with that permission (noetl-temporal tokens create).',
    ]);
  if (body['code'] === 'NO_WORKFLOW_WORKER')
    return new EnvironmentError('WORKER_SILENT', detail, [
      'If none runs, start one (noetl-temporal worker --workflows); if they are busy, try again.',
    ]);
  if (body['code'] === 'NO_STORAGE')
    return new EnvironmentError('NO_STORAGE', url === undefined ? detail : `${url}: ${detail}`);
  if (status < 500 && status !== 429) {
    const { code } = body;
    return new UsageError(detail, { details: body }, typeof code === 'string' ? code : undefined);
  }
  return new EnvironmentError('FACADE_FAILED', `${url ?? 'it'} failed: ${detail}`, [
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
 * @throws as `ask`
 */
export async function* stream(
  port: Port,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const response = await send(port, path, { headers: { ...headers, accept: 'text/event-stream' } }, signal);
  if (response.status >= 300) throw await refusal(port, response);
  if (response.status === 204 || !response.body) return yield { event: 'end', id: '', data: '' };
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const frame = streamedEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (frame) yield frame;
    }
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

function send(port: Port, path: string, asking: Asking, signal: AbortSignal): Promise<ResponseHere> {
  const { method = 'GET', body, headers } = asking;
  return port.fetch(path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
  });
}
