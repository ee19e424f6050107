/** Sends one request: redirects, decompression, limits of time and size. Knows nothing of tasks and outcomes. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { type Dispatcher, request as send } from 'undici';
import { agentFor, type ConnectionOptions } from './agents';
import { checkHost } from './guard';

export interface HttpRequest extends ConnectionOptions {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  /** Lower-case names of the headers `auth` added: like `authorization`, they stay with the first origin. */
  readonly secretHeaders: readonly string[];
  readonly body?: string | Buffer;
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
  readonly body: Buffer;
}

export class ResponseTooLarge extends Error {
  constructor(readonly limit: number) {
    super(`the response is larger than ${limit} bytes`);
  }
}

export class TooManyRedirects extends Error {}

const MAX_REDIRECTS = 10;
/** Never sent to another origin. */
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];

/** @throws undici's and node's errors, AddressDenied, ResponseTooLarge, TooManyRedirects (see errors.ts) */
export async function exchange(request: HttpRequest): Promise<HttpResponse> {
  let { url, method, headers, body } = request;
  for (let hops = 0; ; hops++) {
    checkHost(url.hostname);
    const response = await send(url, {
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body ?? null,
      signal: request.signal,
      dispatcher: agentFor(request),
      headersTimeout: request.readTimeoutMs,
      bodyTimeout: request.readTimeoutMs,
    });
    const location = request.followRedirects ? redirectOf(response, url) : undefined;
    if (!location) {
      const received = await read(response.body, request.maxResponseBytes);
      const flat = headersOf(response.headers);
      return {
        status: response.statusCode,
        headers: flat,
        url,
        body: await decompress(received, flat, request.maxResponseBytes),
      };
    }
    await response.body.dump({ limit: 64 * 1024 }).catch(() => undefined);
    if (hops === MAX_REDIRECTS)
      throw new TooManyRedirects(`more than ${MAX_REDIRECTS} redirects, the last to ${location.host}`);
    if (location.origin !== url.origin)
      headers = without(headers, [...CREDENTIAL_HEADERS, ...request.secretHeaders]);
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

async function read(
  body: AsyncIterable<Buffer> & { destroy(error?: Error): unknown },
  limit: number,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > limit) throw new ResponseTooLarge(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
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

async function decompress(
  body: Buffer,
  headers: Record<string, string | string[]>,
  limit: number,
): Promise<Buffer> {
  const encodings = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one !== 'identity');
  if (body.length === 0) return body;
  let data = body;
  for (const encoding of encodings.reverse()) {
    const options = { maxOutputLength: limit };
    try {
      if (encoding === 'gzip' || encoding === 'x-gzip') data = await promisify(gunzip)(data, options);
      else if (encoding === 'br') data = await promisify(brotliDecompress)(data, options);
      // "deflate" is zlib by the standard and raw in practice.
      else if (encoding === 'deflate') {
        const isZlib = (data[0]! & 0x0f) === 8;
        data = isZlib ? await promisify(inflate)(data, options) : await promisify(inflateRaw)(data, options);
      } else return data;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new ResponseTooLarge(limit);
      throw error;
    }
  }
  return data;
}
