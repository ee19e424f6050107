/**
 * The handlers of routes, called in this process: for the command line, which asks the same of a facade over HTTP. Routes
 * are loaded when they are asked for; nobody is authenticated, because whoever has this process has its connections.
 */
import { once } from 'node:events';
import { PassThrough, type TransformCallback } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Client } from '@temporalio/client';
import { type ToolKinds } from '../../language/dsl';
import { compact } from '../../language/plan';
import { readingHere } from '../reading/here';
import { JobsHere } from '../threads/jobs-here';
import { type Library } from './catalog/library';
import { UnservedQueues } from './executions/unserved';
import { FacadeError } from './http/errors';
import { parsed } from './http/parsed';
import { sendJson } from './http/portions';
import { type Principal, type Route, RouteReply, type RouteRequest } from './http/route';
import { SCOPES } from './http/scopes';
import { readingJobs } from './reading/jobs';
import { Readings } from './reading/readings';
import { type RouteResource } from './routes/declare';
import { type RouteServices } from './services';
import { type Jobs } from './threads/jobs';

const one = async (): Promise<RouteResource> => (await import('./routes/executions/one.js')).oneExecution;
const events = async (): Promise<RouteResource> => (await import('./routes/events/events.js')).eventRoutes;

/** By the first word behind `/api`; of executions by what is asked of one. */
const RESOURCES: Readonly<Record<string, () => Promise<RouteResource>>> = {
  'executions/cancel': one,
  'executions/pause': one,
  'executions/resume': one,
  'executions/explanation': one,
  'executions/progress': one,
  'executions/workflow-task': one,
  'executions/events': events,
  'executions/state': events,
  'executions/logs': async () => (await import('./routes/executions/logs.js')).logs,
  bulk: async () => (await import('./routes/bulk.js')).bulkRoutes,
  cache: async () => (await import('./routes/cache.js')).cacheRoutes,
  events: async () => (await import('./routes/external-events.js')).externalEvents,
  notifications: async () => (await import('./routes/notifications.js')).notificationRoutes,
  schedules: async () => (await import('./routes/schedules.js')).scheduleRoutes,
  vars: async () => (await import('./routes/vars.js')).vars,
};

const CALLER: Principal = { name: 'local', scopes: SCOPES };

export interface RequestHere {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  /** The client leaves. */
  readonly signal?: AbortSignal;
}

/** What the command line reads of a response. */
export interface ResponseHere {
  readonly status: number;
  readonly headers: Pick<Headers, 'get' | 'has'>;
  readonly body: AsyncIterable<Uint8Array> | null;
  json(): Promise<unknown>;
}

/** Some of those of a facade. */
export type ServicesHere = Partial<Omit<RouteServices, 'library'>> & {
  readonly library?: Pick<Library, 'scheduled'>;
};

/** What handlers derive, compile and look up with a connection to Temporal, in this process. @param textOf of a playbook */
export function derivingHere(
  client: Client,
  textOf: (file: string | undefined, sha256: string) => string | undefined,
  kinds?: ToolKinds,
): Pick<ServicesHere, 'client' | 'readings' | 'unserved' | 'threads'> {
  const { loadedDataConverter } = client.options;
  const reading = new JobsHere(() => readingJobs((id, host) => readingHere(id, host, loadedDataConverter)));
  const compiling = new JobsHere(async () => {
    const { jobs } = await import('./threads/jobs.js');
    return { plan: (input: Parameters<Jobs['plan']>[0]) => jobs.plan(input, compact({ kinds })) };
  });
  const text = (_path: string, sha256: string, file?: string) => Promise.resolve(textOf(file, sha256));
  return {
    client,
    readings: new Readings(client, text, undefined, reading),
    unserved: new UnservedQueues(client),
    threads: compiling as never,
  };
}

/** Calls handlers. Routes are made once, with what they need. */
export class HandlersHere {
  private readonly resources = new Map<string, Promise<readonly Route[]>>();

  /** @param servicesFor what the resource of that name needs, opened when it is asked for */
  constructor(private readonly servicesFor: (resource: string) => Promise<ServicesHere>) {}

  /** @throws errors of the handler, as they are */
  async fetch(path: string, request: RequestHere = {}): Promise<ResponseHere> {
    const { method = 'GET', headers = {}, body, signal } = request;
    const { pathname, searchParams } = new URL(path, 'http://here');
    for (const route of await this.routes(pathname)) {
      const match = patternOf(route).exec(`${method} ${pathname}`);
      if (!match) continue;
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
        principal: CALLER,
        request: {
          get: (name: string) => headers[name],
          accepts: () => headers['accept'] ?? 'application/json',
        },
        response,
      };
      return await answered(route, input as never, response);
    }
    throw new FacadeError(404, 'NO_ROUTE', `there is no ${method} ${pathname}`);
  }

  private async routes(pathname: string): Promise<readonly Route[]> {
    const [, , first = '', , last] = pathname.split('/');
    const name = first === 'executions' ? `${first}/${last}` : first;
    if (!Object.hasOwn(RESOURCES, name)) return [];
    const making = async (): Promise<readonly Route[]> => {
      const [resource, services] = await Promise.all([RESOURCES[name]!(), this.servicesFor(first)]);
      const all = services as unknown as RouteServices;
      const routes = typeof resource === 'function' ? resource(all) : [resource].flat();
      return routes.map((route): Route => ({ ...route, handle: (request) => route.handle(request, all) }));
    };
    if (!this.resources.has(name)) this.resources.set(name, making());
    return await this.resources.get(name)!;
  }
}

function patternOf({ method, path }: Route): RegExp {
  return new RegExp(`^${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
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
