/** Serves declared routes with Express: authorisation, validation, responses. */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type Authenticate } from './authenticate';
import { Bodies } from './body';
import { FacadeError, fromExpress } from './errors';
import { compact } from '../../../language/plan';
import { parsed } from './parsed';
import { sendJson } from './portions';
import { namesIn, RouteReply, type Route } from './route';
import { sendClosing } from './unread';

/**
 * @param bodies reads bodies of requests that are permitted
 * @throws if two routes have the same method and path, or a path parameter has no schema: a programming error,
 *   found at startup
 */
export function routerOf(
  routes: readonly Route[],
  authenticate: Authenticate,
  bodies: Bodies = new Bodies(),
): Router {
  const router = Router();
  const taken = new Set<string>();
  // A literal path takes precedence over one with parameters.
  for (const route of [...routes].sort(bySpecificity)) {
    const place = `${route.method} ${route.path.replace(/\{\w+/g, '{')}`;
    if (taken.has(place)) throw new Error(`two routes for ${route.method} ${route.path}`);
    taken.add(place);
    const declared = Object.keys(route.params?.shape ?? {});
    if (String(namesIn(route.path).sort()) !== String(declared.sort()))
      throw new Error(`${route.method} ${route.path}: names in the path and params differ`);
    router[route.method](expressPath(route.path), handlerOf(route, authenticate, bodies));
  }
  return router;
}

/** Literal before parameter before wildcard, from the left; of two with a common prefix the longer first. */
export function bySpecificity(a: Route, b: Route): number {
  const [left, right] = [kindsIn(a), kindsIn(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A digit per segment: 0 literal, 1 parameter, 2 wildcard; 3 terminates. */
function kindsIn({ path }: Route): string {
  const kinds = path.split('/').map((part) => (part.endsWith('+}') ? '2' : part.includes('{') ? '1' : '0'));
  return `${kinds.join('')}3`;
}

function expressPath(path: string): string {
  return path.replace(/\{(\w+)\+\}/g, '*$1').replace(/\{(\w+)\}/g, ':$1');
}

function handlerOf(route: Route, authenticate: Authenticate, bodies: Bodies): RequestHandler {
  const [first = '200'] = Object.keys(route.answers);
  return async (request: Request, response: Response) => {
    response.locals['route'] = route.path;
    const principal = await authenticate(request, route.scopeOf?.(request) ?? route.scope);
    response.locals['caller'] = principal.name;
    const params = parsed(route.params, joined(request.params), 'path');
    const query = parsed(route.query, request.query, 'query');
    const rules = {
      caller: principal.name,
      isPublic: route.scope === 'public',
      ...compact({ form: route.form, resource: route.resource }),
    };
    const given =
      route.body && (await bodies.of(request, response, rules).catch(unreadable(route, response)));
    if (response.headersSent) return;
    const input = {
      params,
      query,
      body: parsed(route.body, given, 'body'),
      principal,
      request,
      response,
    };
    const answer = await route.handle(input as never);
    if (response.headersSent || response.destroyed || answer === undefined) return;
    const { status, body } = answer instanceof RouteReply ? answer : new RouteReply(Number(first), answer);
    response.status(status);
    await sendJson(response, body);
  };
}

/** Answers for routes that have an answer of their own to a body that cannot be read. */
function unreadable(route: Route, response: Response): (error: unknown) => void {
  return (error) => {
    const refusal = error instanceof FacadeError ? error : fromExpress(error);
    if (!route.unreadable || !refusal) throw error;
    sendClosing(response, 200, route.unreadable(refusal));
  };
}

/** Express returns a wildcard as a list of segments. */
function joined(params: Request['params']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value.join('/') : value]),
  ) as Record<string, string>;
}
