/** `/api/catalog`: playbooks and other resources, by path and version. */
import { type Route } from '../../http/route';
import { type RouteServices } from '../../services';
import { contentRoutes } from './content';
import { planRoutes } from './plan';
import { readingRoutes } from './read';
import { registrationRoutes } from './register';

export function catalogRoutes({ library }: RouteServices): readonly Route[] {
  return [
    ...registrationRoutes(library),
    ...contentRoutes(library),
    ...readingRoutes(library.catalog),
    ...planRoutes(library),
  ];
}
