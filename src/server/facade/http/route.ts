/**
 * Routes as data: input, responses, required scope. One declaration serves both the router, which validates
 * requests and checks scopes, and the OpenAPI document.
 */
import { type Request, type Response } from 'express';
import { type z } from 'zod';
import { type TokenLimits } from '../../store';
import { type FacadeError } from './errors';
import { type TokenScope } from './scopes';

/** The caller. */
export interface Principal {
  /** Name of the token, or `local` without tokens. */
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Without a token: a program or a page of this machine, a task of a playbook among them. */
  readonly anyone?: true;
  /** Of a token that may not read every credential. */
  readonly limits?: TokenLimits;
}

export interface RouteAnswer {
  /** Description in the OpenAPI document. */
  readonly description: string;
  /** Schema of a JSON body; absent for a response without a body or of another type. */
  readonly body?: z.ZodType;
  /** Media types other than JSON, each with an example or a note. */
  readonly content?: Readonly<Record<string, string>>;
}

/** The validated request passed to a handler. */
export interface RouteRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly principal: Principal;
  readonly request: Request;
  /** For streams and headers; a handler that sends the response itself returns undefined. */
  readonly response: Response;
}

/** A response with its own status; plain values are sent with the route's first status. */
export class RouteReply {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {}
}

type Fields = z.ZodObject;
type Of<Schema, Otherwise> = Schema extends z.ZodType ? z.output<Schema> : Otherwise;

export interface RouteSpec<
  Params extends Fields | undefined,
  Query extends Fields | undefined,
  Body extends z.ZodType | undefined,
  Services = void,
> {
  /** `public`: no token required. */
  readonly scope: TokenScope | 'public';
  /** Replaces `scope` if it depends on the request. */
  readonly scopeOf?: (request: Request) => TokenScope;
  readonly summary: string;
  readonly description?: string;
  /** Path parameters as strings; required for every `{name}` in the path. */
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** By status; the first is used for plain values. */
  readonly answers: Readonly<Record<number, RouteAnswer>>;
  /** Error statuses besides those common to all routes. */
  readonly errors?: readonly number[];
  /** Whether a form of a browser is accepted as the body, besides JSON. */
  readonly form?: boolean;
  /** Whether a resource in YAML, as the body itself, stands for `{content}`. */
  readonly resource?: boolean;
  /** The answer, of status 200, to a permitted request whose body cannot be read; default: the usual answer to an error. */
  readonly unreadable?: (error: FacadeError) => object;
  /** Whether it changes something, which the audit notes; default: all that need `run` or `admin`, but those that only read (GET). */
  readonly acts?: boolean;
  /** An alias of a route; not in the OpenAPI document. */
  readonly alias?: boolean;
  /** @returns the answer as it becomes JSON: a Date becomes a time in RFC 3339 */
  handle(
    request: RouteRequest<Of<Params, object>, Of<Query, object>, Of<Body, undefined>>,
    services: Services,
  ): unknown;
}

/** A route with erased types, for tables. */
export interface Route<Services = void> extends Omit<RouteSpec<Fields, Fields, z.ZodType>, 'handle'> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  /** Its group in the OpenAPI document. */
  readonly tag?: string;
  handle(request: RouteRequest<never, never, never>, services: Services): unknown;
}

type Endpoint = `${Uppercase<Route['method']>} /${string}`;

/**
 * Declares a route; the types of `handle` are inferred from the schemas.
 *
 * @param endpoint `GET /api/executions/{id}/status`; `{path+}` matches slashes too
 */
type Declares<Services> = <
  Params extends Fields | undefined = undefined,
  Query extends Fields | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  endpoint: Endpoint,
  spec: RouteSpec<Params, Query, Body, Services>,
) => Route<Services>;

/** Routes whose handlers are given services. */
export function routesWith<Services>(): Declares<Services> {
  return (endpoint, spec) => {
    const [method = '', path = ''] = endpoint.split(' ');
    return { ...spec, method: method.toLowerCase(), path } as unknown as Route<Services>;
  };
}

/** Routes whose handlers need nothing else. */
export const plainRoute: Declares<void> = routesWith();

/** The usual answer of a route: a JSON body. */
export function okAnswer(description: string, body: z.ZodType, status = 200): Route['answers'] {
  return { [status]: { description, body } };
}

/** Names in a path, in order. */
export function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name!);
}
