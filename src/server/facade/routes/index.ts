/** All routes of the facade: one file per resource, each a list of declared routes. */
import { Catalog } from '../../store';
import { Library } from '../catalog/library';
import { auth } from './auth';
import { bulkRoutes } from './bulk';
import { cacheRoutes } from './cache';
import { authCacheRoutes } from './auth-cache';
import { codecRoutes } from './codec';
import { codecSessionRoutes } from './codec-session';
import { credentialRoutes } from './credentials';
import { type FacadeServices } from '../services';
import { contentRoutes } from './catalog/content';
import { planRoutes } from './catalog/plan';
import { readingRoutes } from './catalog/read';
import { registrationRoutes } from './catalog/register';
import { stagedRoutes } from './catalog/staged';
import { documents } from './documents';
import { eventRoutes } from './events/events';
import { executeRoutes } from './execute';
import { executions } from './executions';
import { externalEvents } from './external-events';
import { health } from './health';
import { languageModel } from './language-model';
import { limitRoutes } from './limits';
import { metricsRoutes } from './metrics';
import { notificationRoutes } from './notifications';
import { postgresRoutes } from './postgres';
import { renderRoutes } from './render';
import { sessionRoutes } from './session';
import { scheduleRoutes } from './schedules';
import { rerunRoutes } from './rerun';
import { serverRoutes } from './server';
import { testSuites } from './test-suites';
import { vars } from './vars';
import { workerRoutes } from './workers';
import { ScheduledPlaybooks } from '../catalog/scheduled';
import { UnservedQueues } from '../executions/unserved';
import { Readings } from '../reading/readings';
import { Threads } from '../threads/threads';
import { type RouteResource } from './declare';
import { type Route } from '../http/route';

/** By tag in the OpenAPI document. */
const RESOURCES: readonly (readonly [string, ...RouteResource[]])[] = [
  ['health', health],
  ['catalog', registrationRoutes, stagedRoutes, contentRoutes, readingRoutes, planRoutes],
  ['executions', executeRoutes, ...executions],
  ['events', eventRoutes],
  ['executions', rerunRoutes],
  ['bulk', bulkRoutes],
  ['cache', cacheRoutes],
  ['credentials', credentialRoutes],
  ['auth', auth, sessionRoutes],
  ['credentials', authCacheRoutes],
  ['codec', codecRoutes, codecSessionRoutes],
  ['operations', metricsRoutes],
  ['variables', vars, renderRoutes],
  ['events', externalEvents],
  ['executions', limitRoutes],
  ['workers', workerRoutes],
  ['postgres', postgresRoutes],
  ['server', serverRoutes],
  ['tests', testSuites],
  ['language model', languageModel],
  ['schedules', scheduleRoutes],
  ['notifications', notificationRoutes],
];

/** @param services.threads default: threads of their own, started when they are needed */
export function routesOf(services: FacadeServices & { readonly threads?: Threads }): Route[] {
  const { threads = new Threads({ kinds: services.kinds }) } = services;
  const { playbooks, prioritized } = services;
  const catalog = new Catalog(services.database.query);
  const library = new Library(catalog, threads, playbooks, prioritized);
  const readings = new Readings(
    services.client,
    (path, sha256) => library.catalog.textOf(path, sha256),
    services.database,
  );
  const unserved = new UnservedQueues(services.client);
  const scheduled = new ScheduledPlaybooks(services.client);
  services.stopping?.addEventListener('abort', () => readings.close());
  const all = { ...services, library, threads, readings, unserved, scheduled };
  const routes = RESOURCES.flatMap(([tag, ...resources]) =>
    resources
      .flatMap((resource) => (typeof resource === 'function' ? resource(all) : resource))
      .map((one): Route => ({ ...one, tag, handle: (request) => one.handle(request, all) })),
  );
  return [...routes, ...documents(routes, services).map((one) => ({ ...one, tag: 'documents' }))];
}
