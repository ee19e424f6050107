/** Serves declared routes with Express: authorisation, validation, responses. */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type z } from 'zod';
import { type Authenticate } from './authenticate';
import { Bodies } from './body';
import { FacadeError } from './errors';
import { compact, isMapping } from '../../../language/plan';
import { editDistance, nearest } from '../../../language/template/suggest';
import { sendJson } from './portions';
import { namesIn, RouteReply, type Route } from './route';

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
function bySpecificity(a: Route, b: Route): number {
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
    const given = route.body && (await bodies.of(request, response, rules));
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

/** Express returns a wildcard as a list of segments. */
function joined(params: Request['params']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, Array.isArray(value) ? value.join('/') : value]),
  ) as Record<string, string>;
}

/** @throws FacadeError 422 `VALIDATION` naming every invalid field; `at` is the first */
function parsed<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T | undefined {
  if (!schema) return undefined;
  if (where !== 'body') refuseNul(value as object, where);
  const result = schema.safeParse(value);
  if (result.success) {
    refuseMisspelled(schema, value, where);
    return result.data;
  }
  const wrong = result.error.issues.map(({ path, message }) => ({
    at: [where, ...path.map(String)].join('.'),
    message,
  }));
  const reason = wrong.map(({ at, message }) => `${at}: ${message}`).join('; ');
  throw new FacadeError(422, 'VALIDATION', reason, { at: wrong[0]!.at });
}

/**
 * Clients send fields that nobody here reads, which is no harm. One that is nearly the name of a field that is not
 * given is meant to be that field: without a word, its value would count for nothing.
 */
function refuseMisspelled(schema: z.ZodType, value: unknown, where: string): void {
  const shape = 'shape' in schema ? schema.shape : undefined;
  if (!isMapping(shape) || typeof value !== 'object' || value === null) return;
  const given = new Set(Object.keys(value));
  const missing = Object.keys(shape).filter((name) => !given.has(name));
  for (const name of given) {
    if (Object.hasOwn(shape, name)) continue;
    const near = name.length < MIN_LENGTH ? undefined : nearMiss(name, missing);
    if (near === undefined) continue;
    const message = `${where}.${name} is not a field: did you mean '${near}'?`;
    throw new FacadeError(422, 'VALIDATION', message, { at: `${where}.${name}` });
  }
}

/** Short names are near to many. */
const MIN_LENGTH = 4;
const MOST_EDITS = 2;

function nearMiss(name: string, candidates: readonly string[]): string | undefined {
  const near = nearest(name, candidates);
  return near !== undefined && editDistance(name, near, MOST_EDITS) <= MOST_EDITS ? near : undefined;
}

/** Neither Temporal nor Postgres can hold it: nothing that could be found has one. */
function refuseNul(given: object, where: string): void {
  const wrong = Object.entries(given).find((pair) => pair.flat().some((one) => String(one).includes('\0')));
  if (!wrong) return;
  const at = `${where}.${wrong[0].replaceAll('\0', '')}`;
  throw new FacadeError(422, 'VALIDATION', `${at}: has a NUL character`, { at });
}
