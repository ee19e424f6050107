/** `/api/catalog`: playbooks and other resources, by path and version. */
import { type Route } from '../../http/route';
import { type RouteServices } from '../../services';
import { contentRoutes } from './content';
import { planRoutes } from './plan';
import { readingRoutes } from './read';
import { registrationRoutes } from './register';
import { stagedRoutes } from './staged';

export function catalogRoutes(services: RouteServices): readonly Route[] {
  return [registrationRoutes, stagedRoutes, contentRoutes, readingRoutes, planRoutes].flatMap((resource) =>
    resource(services),
  );
}
