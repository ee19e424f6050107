/** Sends one request: redirects, decompression, limits of time and size. Knows nothing of tasks and outcomes. */
import { type Readable } from 'node:stream';
import { type Dispatcher, request as send } from 'undici';
import { CodedError } from '../../../src/errors';
import { agentFor, type ConnectionOptions } from './agents';
import { decoded, responseTooLarge } from './decode';
import { checkUrl } from './guard';
import { type StreamedBody } from './multipart';
import { proxyFor } from './proxy';
import { wasStale } from './stale';
import { withoutIdentity } from './tls';

export interface HttpRequest extends ConnectionOptions {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  /** Lower-case names of the headers `auth` added: like `authorization`, they stay with the first origin. */
  readonly secretHeaders: readonly string[];
  readonly body?: string | Buffer | StreamedBody;
  readonly followRedirects: boolean;
  /** Longest silence while waiting for headers or between pieces of the body. */
  readonly readTimeoutMs: number;
  /** Bytes of the body, after decompression. */
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly url: URL;
  /** Decompressed, and ended with `RESPONSE_TOO_LARGE` above the limit. To be read, or given up by `return`. */
  readonly pieces: AsyncGenerator<Buffer>;
}

const MAX_REDIRECTS = 10;
/** Never sent to another origin. */
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

/** @throws undici's and node's errors, CodedError `ADDRESS_DENIED`, `HOST_NOT_ALLOWED`, `RESPONSE_TOO_LARGE`, `TOO_MANY_REDIRECTS` (see errors.ts) */
export async function exchange(request: HttpRequest): Promise<HttpResponse> {
  let { url, method, headers, body, tls } = request;
  for (let hops = 0; ; hops++) {
    const proxy = proxyFor(url, request.proxy);
    checkUrl(url, proxy === undefined);
    // A proxy of the author's is as good as the target: it gets the request, and answers what it likes.
    if (proxy !== undefined && request.proxy !== undefined) checkUrl(new URL(proxy), true);
    const response = await sendSafely(url, { ...request, method, headers, body, tls, proxy });
    const location = request.followRedirects ? redirectOf(response, url) : undefined;
    if (!location) {
      const flat = headersOf(response.headers);
      const pieces = decoded(response.body, String(flat['content-encoding'] ?? ''), request.maxResponseBytes);
      return { status: response.statusCode, headers: flat, url, pieces };
    }
    await response.body.dump({ limit: 64 * 1024 }).catch(() => undefined);
    if (hops === MAX_REDIRECTS)
      throw new CodedError(
        'TOO_MANY_REDIRECTS',
        `more than ${MAX_REDIRECTS} redirects, the last to ${location.host}`,
      );
    if (location.origin !== url.origin) {
      headers = without(headers, [...CREDENTIAL_HEADERS, ...request.secretHeaders]);
      tls = withoutIdentity(tls);
    }
    if (response.statusCode === 303 ? method !== 'HEAD' : response.statusCode < 303 && method === 'POST') {
      method = 'GET';
      body = undefined;
      headers = Object.fromEntries(
        Object.entries(headers).filter(([name]) => !/^(content-.*|idempotency-key)$/i.test(name)),
      );
    }
    url = location;
  }
}

/**
 * Over another connection where the server had closed the first before the request reached it, which every client meets
 * that keeps connections: once, and only what may arrive twice (the rule of Go's client).
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
 * All of a body, for memory.
 *
 * @param limit bytes, where it is less than that of the request
 * @throws CodedError `RESPONSE_TOO_LARGE`
 */
export async function read(response: HttpResponse, limit = Infinity): Promise<Buffer> {
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
  const location = response.headers['location'];
  if (typeof location !== 'string' || !URL.canParse(location, base.href)) return undefined;
  const target = new URL(location, base);
  return target.protocol === 'http:' || target.protocol === 'https:' ? target : undefined;
}

function without(headers: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())));
}

function headersOf(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[name, Array.isArray(value) && name !== 'set-cookie' ? value.join(', ') : value]];
    }),
  );
}
