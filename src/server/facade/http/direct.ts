/**
 * A route that machines send to by the thousand, answered by the HTTP server itself: Express would look through all
 * routes, and give each request and response a prototype of its own. It is a route of Express too: for documents, and
 * for requests that are unusual.
 */
import { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AnswerError } from './errors';
import { type Answering, type Middleware } from './middleware';
import { type Route, type RouteReply, type RouteRequest } from './route';
import { sendClosing } from './unread';

export interface DirectRoute {
  /** Of scope `public`, with one parameter, which is the end of its path. Its handler needs no Express, and replies. */
  readonly route: Pick<Route, 'method' | 'path' | 'handle'>;
  readonly middleware: readonly Middleware[];
  readonly failed: AnswerError;
  readonly otherwise: RequestListener;
}

/** Nothing that Express decodes or refuses, and nothing that a page of a browser sends: it says where it comes from. */
export function directly({ route, middleware, failed, otherwise }: DirectRoute): RequestListener {
  const { method, path } = route;
  const [, prefix = '', name = ''] = /^(.+\/)\{(\w+)\+\}$/.exec(path) ?? [];
  const place = new RegExp(`^${prefix}([\\w.~/-]{1,300})(?:\\?|$)`);
  const answer = async (value: string, request: IncomingMessage, response: Answering): Promise<void> => {
    try {
      const input = { params: { [name]: value }, request, response };
      const reply = (await route.handle(input as unknown as RouteRequest<never, never, never>)) as RouteReply;
      if (!response.destroyed) sendClosing(response, reply.status, reply.body as object);
    } catch (error) {
      if (!response.destroyed) failed(error, response);
    }
  };
  return (request, plain) => {
    const { headers, url = '' } = request;
    const isUsual = headers.origin === undefined && request.method === method.toUpperCase();
    const [, value] = (isUsual && place.exec(url)) || [];
    if (value === undefined) return otherwise(request, plain);
    const response = withLocals(plain, { route: path, caller: 'anonymous' });
    const step = (index: number): void =>
      index < middleware.length
        ? middleware[index]!(request, response, () => step(index + 1))
        : void answer(value, request, response);
    step(0);
  };
}

function withLocals(response: ServerResponse, locals: Record<string, unknown>): Answering {
  return Object.assign(response, { locals });
}
