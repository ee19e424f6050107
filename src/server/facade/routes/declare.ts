/** What the routes of this facade are declared with: a handler is given the facade's services. */
import { type Route, routesWith } from '../http/route';
import { executionPath } from '../executions/ids';
import { type RouteServices } from '../services';

export { FacadeError, invalidField, noStorage } from '../http/errors';
export { type AskedPage, pageOfBody, pageOfQuery, paginationSchema } from '../http/pages';
export { okAnswer, RouteReply, type RouteRequest } from '../http/route';
export { boundedText, component, integerFrom, labelMapping, mapping } from '../http/schema';
export type FacadeRoute = Route<RouteServices>;
/** Routes, or what creates those with a state of their own. */
export type RouteResource =
  | FacadeRoute
  | readonly FacadeRoute[]
  | ((services: RouteServices) => readonly FacadeRoute[]);

/** What is read of an execution. */
export const ofExecution = { scope: 'read', params: executionPath, errors: [404, 502] } as const;

export const route = routesWith<RouteServices>();
