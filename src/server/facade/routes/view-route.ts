/** Routes that answer a view of an execution's history: 202 while it is being derived from a long one. */
import { executionPath } from '../executions/ids';
import { type RouteSpec } from '../http/route';
import { route, type FacadeRoute, ofExecution } from './declare';
import { DERIVING_ANSWER } from '../reading/deriving';
import { type ViewRequest } from '../reading/readings';
import { type ViewName } from '../reading/views';
import { type RouteServices } from '../services';

type Schema<Key extends 'query' | 'body'> = Exclude<FacadeRoute[Key], undefined>;

interface ViewSpec<
  Name extends ViewName,
  Params extends typeof executionPath,
  Query extends Schema<'query'> | undefined,
  Body extends Schema<'body'> | undefined,
> extends Omit<RouteSpec<Params, Query, Body>, 'scope' | 'handle'> {
  /** What is asked of the view. */
  about(
    request: Parameters<RouteSpec<Params, Query, Body>['handle']>[0],
    services: RouteServices,
  ): ViewRequest<Name>['about'] | Promise<ViewRequest<Name>['about']>;
  /** The document also has the queues without workers in which tasks of the execution wait. */
  readonly withQueues?: true;
}

export function viewRoute<
  Name extends ViewName,
  Params extends typeof executionPath = typeof executionPath,
  Query extends Schema<'query'> | undefined = undefined,
  Body extends Schema<'body'> | undefined = undefined,
>(
  name: Name,
  endpoint: Parameters<typeof route>[0],
  { about, withQueues, ...spec }: ViewSpec<Name, Params, Query, Body>,
): FacadeRoute {
  return route<Params, Query, Body>(endpoint, {
    ...ofExecution,
    params: executionPath as Params,
    ...spec,
    answers: { ...spec.answers, ...DERIVING_ANSWER },
    async handle(request, services) {
      const { principal, response } = request;
      const { id } = request.params as { id: string };
      const more = withQueues && services.unserved.fieldOf(id);
      return await services.readings.send(name, {
        id,
        about: await about(request, services),
        principal,
        response,
        more,
      });
    },
  });
}
