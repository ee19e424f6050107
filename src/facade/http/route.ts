/**
 * A route as data: what it takes, what it answers, who may ask. One declaration serves the router that checks
 * requests and rights, and the OpenAPI document.
 */
import { type Request, type Response } from 'express';
import { type z } from 'zod';

/** What a caller may do: `read` and `run` are NoETL's users, `worker` fetches credentials, `admin` may everything. */
export const SCOPES = ['read', 'run', 'worker', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who asks. */
export interface Principal {
  /** Of the token, or `local` where none is asked for. */
  readonly name: string;
  readonly scopes: readonly Scope[];
}

export interface Answer {
  /** What the answer is, for the reader of the OpenAPI document. */
  readonly description: string;
  /** Of a JSON body; absent for an answer without one, or of another type. */
  readonly body?: z.ZodType;
  /** Media types other than JSON, each with an example or a remark. */
  readonly content?: Readonly<Record<string, string>>;
}

/** What a handler gets: the request, checked. */
export interface Asked<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly principal: Principal;
  readonly request: Request;
  /** For streams and headers; a handler that answers by itself returns undefined. */
  readonly response: Response;
}

/** An answer with a status of its own; a plain value is answered with the route's first status. */
export class Reply {
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
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `/api/executions/{id}/status`; `{path+}` takes slashes too. */
  readonly path: string;
  /** `public`: also without a token. */
  readonly scope: Scope | 'public';
  /** In place of `scope`, where what is asked for decides it. */
  readonly scopeOf?: (request: Request) => Scope;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Strings as they stand in the path; required for every `{name}` in it. */
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** By status; the first is that of a plain value. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Statuses of errors beyond those that every route may answer. */
  readonly errors?: readonly number[];
  /** Not in the OpenAPI document: another name of a route that is. */
  readonly alias?: boolean;
  handle(asked: Asked<Of<Params, object>, Of<Query, object>, Of<Body, undefined>>): unknown;
}

/** A route of any types, as tables hold it. */
export interface Route extends Omit<RouteSpec<Fields, Fields, z.ZodType>, 'handle'> {
  handle(asked: Asked<never, never, never>): unknown;
}

/** Declares a route; the types of `handle` follow from the schemas. */
export function route<
  Params extends Fields | undefined = undefined,
  Query extends Fields | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(spec: RouteSpec<Params, Query, Body>): Route {
  return spec as unknown as Route;
}

/** Names in a path, in order. */
export function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name!);
}
