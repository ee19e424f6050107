/** Sends one request: redirects, decompression, time and size limits. Independent of tasks and outcomes. */
import { type Readable } from 'node:stream';
import { type Dispatcher, request as send } from 'undici';
import { CodedError } from '../../../src/language/errors';
import { assigned } from '../../../src/language/plan';
import { agentFor, type ConnectionOptions } from './agents';
import { RedirectCookies } from './cookies';
import { decodedBody, responseTooLarge } from './decode';
import { checkUrl } from './guard';
import { type StreamedBody } from './multipart';
import { proxyFor } from './proxy';
import { redirected, type Secrecy, type Sent } from './redirect';
import { wasStale } from './stale';

export interface HttpRequest extends ConnectionOptions, Secrecy {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer | StreamedBody | undefined;
  readonly followRedirects: boolean;
  /** Maximum wait for headers or for the next part of the body. */
  readonly readTimeoutMs: number;
  /** Maximum size of the body in bytes, after decompression. */
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly url: URL;
  /** Decompressed; fails with `RESPONSE_TOO_LARGE` above the limit. Must be read, or closed with `return`. */
  readonly pieces: AsyncGenerator<Buffer>;
}

const MAX_REDIRECTS = 10;

/** @throws undici's and node's errors, CodedError `ADDRESS_DENIED`, `HOST_NOT_ALLOWED`, `RESPONSE_TOO_LARGE`, `TOO_MANY_REDIRECTS`, `REDIRECT_WITH_SECRET` (see errors.ts) */
export async function exchange(request: HttpRequest): Promise<HttpResponse> {
  const { method, headers, body, tls } = request;
  let sent: Sent = { url: request.url, method, headers, body, tls };
  const cookies = new RedirectCookies();
  for (let hops = 0; ; hops++) {
    const { url } = sent;
    const proxy = proxyFor(url, request.proxy);
    checkUrl(url, proxy === undefined);
    // A proxy chosen by the author is checked like the target: it receives the request and controls the response.
    if (proxy !== undefined && request.proxy !== undefined) checkUrl(new URL(proxy), true);
    const outgoing = assigned(sent, { headers: cookies.onto(sent.headers, url), proxy });
    const response = await sendSafely(url, assigned(request, outgoing));
    const location = request.followRedirects ? redirectOf(response, url) : undefined;
    if (!location) {
      const flat = headersOf(response.headers);
      const pieces = decodedBody(
        response.body,
        String(flat['content-encoding'] ?? ''),
        request.maxResponseBytes,
      );
      return { status: response.statusCode, headers: flat, url, pieces };
    }
    await response.body.dump({ limit: 64 * 1024 }).catch(() => undefined);
    if (hops === MAX_REDIRECTS)
      throw new CodedError(
        'TOO_MANY_REDIRECTS',
        `more than ${MAX_REDIRECTS} redirects, the last to ${location.host}`,
      );
    cookies.take(url, response.headers['set-cookie']);
    sent = redirected(sent, response.statusCode, location, request);
  }
}

/**
 * Retries over another connection when the server had closed the first one before the request reached it, which happens
 * to every client with keep-alive: once, and only for requests that are safe to repeat (the rule of Go's client).
 */
async function sendSafely(url: URL, one: HttpRequest): Promise<Dispatcher.ResponseData> {
  try {
    return await sendOnce(url, one);
  } catch (error) {
    if (!wasStale(error) || one.signal.aborted || !mayArriveTwice(one)) throw error;
    return sendOnce(url, one);
  }
}

function mayArriveTwice({ method, headers }: HttpRequest): boolean {
  return /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method) || 'idempotency-key' in headers;
}

function sendOnce(url: URL, one: HttpRequest): Promise<Dispatcher.ResponseData> {
  const { method, headers, body } = one;
  return send(url, {
    method: method as Dispatcher.HttpMethod,
    headers: isStreamed(body) ? { ...headers, 'content-length': String(body.length) } : headers,
    body: openBody(body),
    signal: one.signal,
    dispatcher: agentFor(one),
    headersTimeout: one.readTimeoutMs,
    bodyTimeout: one.readTimeoutMs,
  });
}

/**
 * Reads a whole body into memory.
 *
 * @param limit bytes, where it is less than that of the request
 * @throws CodedError `RESPONSE_TOO_LARGE`
 */
export async function readBody(response: HttpResponse, limit = Infinity): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response.pieces) {
    size += piece.length;
    if (size > limit) throw responseTooLarge(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function isStreamed(body: HttpRequest['body']): body is StreamedBody {
  return typeof body === 'object' && !Buffer.isBuffer(body);
}

function openBody(body: HttpRequest['body']): string | Buffer | Readable | null {
  return isStreamed(body) ? body.open() : (body ?? null);
}

function redirectOf(response: Dispatcher.ResponseData, base: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.statusCode)) return undefined;
  const header = response.headers['location'];
  if (typeof header !== 'string') return undefined;
  const location = asUtf8(header);
  if (!URL.canParse(location, base.href)) return undefined;
  const target = new URL(location, base);
  return target.protocol === 'http:' || target.protocol === 'https:' ? target : undefined;
}

/** A header that was sent as UTF-8 instead of percent-encoded. */
function asUtf8(header: string): string {
  try {
    return /[\x80-\xff]/.test(header)
      ? new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'))
      : header;
  } catch {
    return header;
  }
}

function headersOf(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  const flat: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined)
      flat[name] = Array.isArray(value) && name !== 'set-cookie' ? value.join(', ') : value;
  return flat;
}
