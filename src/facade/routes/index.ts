/** Every route of the facade: a file a resource, each a list of declared routes. */
import { type Route } from '../http/route';
import { type FacadeServices } from '../services';
import { authCacheRoutes } from './auth-cache';
import { credentialRoutes } from './credentials';
import { documents } from './documents';
import { eventRoutes } from './events/events';
import { executions } from './executions';
import { health } from './health';
import { metricsRoutes } from './metrics';
import { rerun } from './rerun';

/** A list of routes made of what they work with. */
type Resource = (services: FacadeServices) => readonly Route[];

const RESOURCES: readonly Resource[] = [
  health,
  executions,
  eventRoutes,
  rerun,
  credentialRoutes,
  authCacheRoutes,
  metricsRoutes,
];

export function routesOf(services: FacadeServices): Route[] {
  const routes = RESOURCES.flatMap((resource) => resource(services));
  return [...routes, ...documents(routes, services)];
}
