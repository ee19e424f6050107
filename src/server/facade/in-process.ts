/**
 * The handlers of routes, called in this process: for the command line, which asks the same of a facade over HTTP. Routes
 * are loaded when they are asked for; nobody is authenticated, because whoever has this process has its connections.
 */
import { type Client } from '@temporalio/client';
import { type ToolKinds } from '../../language/dsl';
import { compact } from '../../language/plan';
import { readingHere } from '../reading/here';
import { JobsHere } from '../threads/jobs-here';
import { type Library } from './catalog/library';
import { UnservedQueues } from './executions/unserved';
import { called, type RequestHere, type ResponseHere } from './http/called';
import { type Principal, type Route } from './http/route';
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
  'executions/answer': one,
  'executions/waits': one,
  'executions/cancel': one,
  'executions/pause': one,
  'executions/resume': one,
  'executions/explanation': one,
  'executions/progress': one,
  'executions/workflow-task': one,
  'executions/events': events,
  'executions/state': events,
  'executions/': async () => (await import('./routes/executions/list.js')).listRoutes,
  'executions/logs': async () => (await import('./routes/executions/logs.js')).logs,
  bulk: async () => (await import('./routes/bulk.js')).bulkRoutes,
  overview: async () => (await import('./routes/overview.js')).overviewRoute,
  cache: async () => (await import('./routes/cache.js')).cacheRoutes,
  events: async () => (await import('./routes/external-events.js')).externalEvents,
  notifications: async () => (await import('./routes/notifications.js')).notificationRoutes,
  schedules: async () => (await import('./routes/schedules.js')).scheduleRoutes,
  vars: async () => (await import('./routes/vars.js')).vars,
};

export { type RequestHere, type ResponseHere } from './http/called';

const CALLER: Principal = { name: 'local', scopes: SCOPES };

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
    const { pathname } = new URL(path, 'http://here');
    return await called(await this.routes(pathname), path, request, { principal: CALLER });
  }

  private async routes(pathname: string): Promise<readonly Route[]> {
    const [, , first = '', , last] = pathname.split('/');
    const name = first === 'executions' ? `${first}/${last ?? ''}` : first;
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
