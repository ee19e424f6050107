/**
 * The REST API. It keeps no run state: everything it reports about a run is derived from the run's Temporal
 * history, so the process may be killed at any time.
 */
import { type RequestListener } from 'node:http';
import express from 'express';
import { measureExecutions, measureTables } from './executions/measured';
import { Bodies } from './http/body';
import { consolePages } from './http/console';
import { cors } from './http/cors';
import { directly } from './http/direct';
import { type EdgeOptions, everyRequest, guard, plainHeaders } from './http/edge';
import { answerError, answerErrors, noRoute } from './http/errors';
import { fromOutside } from './http/outside';
import { routerOf } from './http/router';
import { CODEC_PATH } from './http/session';
import { gatewayPath } from './http/gateway-path';
import { INGRESS, routesOf } from './routes';
import { saidElsewhere } from './routes/official/elsewhere';
import { type FacadeServices } from './services';
import { Threads } from './threads/threads';

export function createFacade(services: FacadeServices, edge: EdgeOptions = {}): RequestListener {
  const app = express();
  if (services.metrics) {
    measureExecutions(services.metrics.meters, services.client);
    measureTables(services.metrics.meters, services.database);
  }
  app.use(gatewayPath);
  // The Temporal UI's pages may send our cookie to this route only; registered before the general CORS rule, which
  // forbids cookies.
  if (services.uiOrigins?.length) app.use(CODEC_PATH, cors(services.uiOrigins, { cookies: true }));
  const each = everyRequest(edge, services.metrics);
  guard(app, edge, each);
  app.use(consolePages());
  const threads = new Threads({ kinds: services.kinds, sources: services.sources });
  services.stopping?.addEventListener('abort', () => threads.close());
  const bodies = new Bodies((what, caller) => threads.run('parse', what, caller));
  const routes = routesOf({ ...services, threads });
  app.use(routerOf(routes, services.authenticate, bodies));
  app.use(saidElsewhere);
  app.use(noRoute);
  app.use(answerErrors(services.report, fromOutside));
  const route = routes.find(({ path }) => path === INGRESS)!;
  const failed = answerError(services.report, fromOutside);
  return directly({ route, middleware: [...each, plainHeaders], failed, otherwise: app });
}
