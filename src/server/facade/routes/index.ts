/** All routes of the facade: one file per resource, each a list of declared routes. */
import { EventEmitter } from 'node:events';
import { Catalog, Submissions } from '../../store';
import { Library } from '../catalog/library';
import { noted } from '../noted';
import { assistantRoutes } from './assistant';
import { answerPages } from './answer-page';
import { auditRoutes, tokenRoutes } from './audit';
import { auth } from './auth';
import { bulkRoutes } from './bulk';
import { cacheRoutes } from './cache';
import { authCacheRoutes } from './auth-cache';
import { codecRoutes } from './codec';
import { credentialRoutes } from './credentials';
import { type FacadeServices } from '../services';
import { contentRoutes } from './catalog/content';
import { planRoutes } from './catalog/plan';
import { readingRoutes } from './catalog/read';
import { registrationRoutes } from './catalog/register';
import { stagedRoutes } from './catalog/staged';
import { documents } from './documents';
import { eventRoutes } from './events/events';
import { draftRoutes } from './draft';
import { executeRoutes } from './execute';
import { executions } from './executions';
import { externalEvents } from './external-events';
import { health } from './health';
import { languageModel } from './language-model';
import { limitRoutes } from './limits';
import { mcpRoutes } from './mcp';
import { overviewRoute, playbookOverviewRoutes } from './overview';
import { playbookMcpRoutes } from './mcp-playbook';
import { metricsRoutes } from './metrics';
import { notificationRoutes } from './notifications';
import { officialRoutes } from './official';
import { postgresRoutes } from './postgres';
import { renderRoutes } from './render';
import { sessionRoutes } from './session';
import { ingressRoutes } from './ingress';
import { subscriptionRoutes } from './subscriptions';
import { scheduleRoutes } from './schedules';
import { rerunRoutes } from './rerun';
import { serverRoutes } from './server';
import { testSuites } from './test-suites';
import { vars } from './vars';
import { workerRoutes } from './workers';
import { ScheduledPlaybooks } from '../catalog/scheduled';
import { TriggerLibrary } from '../catalog/triggers';
import { UnservedQueues } from '../executions/unserved';
import { Readings } from '../reading/readings';
import { Submitter } from '../submit/submitter';
import { Threads } from '../threads/threads';
import { type RouteResource } from './declare';
import { type Route } from '../http/route';
import { bySpecificity } from '../http/router';

export { INGRESS } from './ingress';

/** By tag in the OpenAPI document. */
const RESOURCES: readonly (readonly [string, ...RouteResource[]])[] = [
  ['health', health],
  [
    'catalog',
    registrationRoutes,
    stagedRoutes,
    contentRoutes,
    readingRoutes,
    planRoutes,
    playbookOverviewRoutes,
  ],
  ['mcp', mcpRoutes, playbookMcpRoutes],
  ['executions', executeRoutes, ...executions],
  ['events', eventRoutes],
  ['executions', rerunRoutes, answerPages],
  ['executions', draftRoutes],
  ['bulk', bulkRoutes],
  ['cache', cacheRoutes],
  ['credentials', credentialRoutes],
  ['auth', auth, sessionRoutes, tokenRoutes],
  ['credentials', authCacheRoutes],
  ['codec', codecRoutes],
  ['operations', overviewRoute, metricsRoutes, auditRoutes],
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
  ['subscriptions', subscriptionRoutes, ingressRoutes],
  ['official', ...officialRoutes],
];

/** @param services.threads default: threads of their own, started when they are needed */
export function routesOf(services: FacadeServices & { readonly threads?: Threads }): Route[] {
  const { threads = new Threads({ kinds: services.kinds, sources: services.sources }) } = services;
  const { playbooks, prioritized } = services;
  const catalog = new Catalog(services.database.query);
  const library = new Library(catalog, threads, playbooks, prioritized);
  const submissions = new Submissions(services.database);
  const submitter = new Submitter(services, library, submissions);
  const readings = new Readings(
    services.client,
    (path, sha256) => library.catalog.textOf(path, sha256),
    services.database,
  );
  const unserved = new UnservedQueues(services.client);
  const scheduled = new ScheduledPlaybooks(services.client);
  const triggers = new TriggerLibrary(services.database, library, threads);
  services.stopping?.addEventListener('abort', () => readings.close());
  // Each stream of its own listens.
  const starts = new EventEmitter().setMaxListeners(0);
  const all = {
    ...{ ...services, library, submissions, submitter, threads },
    ...{ readings, unserved, scheduled, triggers, starts },
  };
  const routes = RESOURCES.flatMap(([tag, ...resources]) =>
    resources
      .flatMap((resource) => (typeof resource === 'function' ? resource(all) : resource))
      .map((one): Route => ({
        ...one,
        tag,
        handle: noted(one, all, (request) => one.handle(request, all)),
      })),
  );
  const assistant = assistantRoutes([...routes].sort(bySpecificity), services).map((one) => ({
    ...one,
    tag: 'mcp',
  }));
  const whole = [...routes, ...assistant];
  return [...whole, ...documents(whole, services).map((one) => ({ ...one, tag: 'documents' }))];
}
