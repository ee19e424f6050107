/** Routes called in this process: as over HTTP, without it. */
import { once } from 'node:events';
import { PassThrough, type TransformCallback } from 'node:stream';
import { text } from 'node:stream/consumers';
import { FacadeError } from './errors';
import { parsed } from './parsed';
import { sendJson } from './portions';
import { type Principal, type Route, RouteReply, type RouteRequest } from './route';

export interface RequestHere {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  /** The client leaves. */
  readonly signal?: AbortSignal;
}

/** What a caller in this process reads of a response. */
export interface ResponseHere {
  readonly status: number;
  readonly headers: Pick<Headers, 'get' | 'has'>;
  readonly body: AsyncIterable<Uint8Array> | null;
  json(): Promise<unknown>;
}

/**
 * Calls the first of the routes that the request fits.
 *
 * @param permit throws if the principal may not
 * @throws errors of the handler, as they are; FacadeError 404 `NO_ROUTE`
 */
export async function called(
  routes: readonly Route[],
  path: string,
  { method = 'GET', headers = {}, body, signal }: RequestHere,
  caller: { readonly principal: Principal; permit?(route: Route): void },
): Promise<ResponseHere> {
  const { pathname, searchParams } = new URL(path, 'http://here');
  for (const route of routes) {
    const match = patternOf(route).exec(`${method} ${pathname}`);
    if (!match) continue;
    caller.permit?.(route);
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [
      name,
      decodeURIComponent(value),
    ]);
    const response = new Answer();
    signal?.addEventListener('abort', () => response.destroy(), { once: true });
    const input = {
      params: parsed(route.params, Object.fromEntries(params), 'path'),
      query: parsed(route.query, Object.fromEntries(searchParams), 'query'),
      body: parsed(route.body, JSON.parse(body ?? '{}'), 'body'),
      principal: caller.principal,
      request: {
        get: (name: string) => headers[name],
        accepts: () => headers['accept'] ?? 'application/json',
        originalUrl: path,
        headers,
      },
      response,
    };
    return await answered(route, input as never, response);
  }
  throw new FacadeError(404, 'NO_ROUTE', `there is no ${method} ${pathname}`);
}

function patternOf({ method, path }: Route): RegExp {
  const pattern = path.replace(/\{(\w+)\+\}/g, '(?<$1>.+)').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${method.toUpperCase()} ${pattern}$`);
}

/** Resolves with the head, as soon as there is one. */
async function answered(
  route: Route,
  input: RouteRequest<never, never, never>,
  response: Answer,
): Promise<ResponseHere> {
  const head = once(response, 'head');
  head.catch(() => undefined);
  const handled = (async () => {
    const answer = await route.handle(input);
    if (response.headersSent || response.destroyed || answer === undefined) return;
    const [first = 200] = Object.keys(route.answers);
    const { status, body } = answer instanceof RouteReply ? answer : new RouteReply(Number(first), answer);
    await sendJson(response.status(status) as never, body);
  })();
  await Promise.race([head, handled]);
  // An error behind the head cuts the body off.
  handled.catch((error: unknown) => response.destroy(error as Error));
  const { statusCode: status, fields } = response;
  return {
    status,
    headers: { get: (name) => fields.get(name) ?? null, has: (name) => fields.has(name) },
    body: status === 204 ? null : response,
    json: async () => JSON.parse(await text(response)) as unknown,
  };
}

/** As much of a response of Express as handlers use. */
class Answer extends PassThrough {
  readonly fields = new Map<string, string>();
  statusCode = 200;
  headersSent = false;

  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  set(given: string | Readonly<Record<string, string>>, value = ''): this {
    const all = typeof given === 'string' ? { [given]: value } : given;
    for (const [name, one] of Object.entries(all)) this.fields.set(name, one);
    return this;
  }

  type(name: string): this {
    return this.set('content-type', name);
  }

  json(value: unknown): void {
    this.send(JSON.stringify(value));
  }

  send(whole: string): void {
    this.end(whole);
  }

  flushHeaders(): void {
    if (this.headersSent) return;
    this.headersSent = true;
    this.emit('head');
  }

  override _transform(chunk: unknown, _encoding: string, done: TransformCallback): void {
    this.flushHeaders();
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    this.flushHeaders();
    done();
  }
}
