/** Cross-origin requests: refused, except from origins named by the operator (`--cors`) or on this machine. */
import { type RequestHandler } from 'express';
import { isLoopbackOrigin } from './authenticate';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const HEADERS =
  'authorization, content-type, idempotency-key, last-event-id, x-namespace, x-request-id, x-session-token';
const EXPOSED = 'x-request-id, retry-after, ratelimit, ratelimit-policy';
/** How long a browser may cache a preflight response, in seconds. */
const MAX_AGE = '600';

/**
 * @param origins as browsers send them: `https://gui.example.com`; `*` for any
 * @param options.cookies whether these pages may send our cookies
 * @param options.loopback whether pages served by this machine are allowed
 */
export function cors(origins: readonly string[], { cookies = false, loopback = false } = {}): RequestHandler {
  const any = origins.includes('*');
  const may = (origin: string): boolean =>
    any || origins.includes(origin) || (loopback && isLoopbackOrigin(origin));
  return (request, response, next) => {
    const origin = request.get('origin');
    if (!any) response.vary('origin');
    if (origin !== undefined && may(origin)) {
      response.set({
        'access-control-allow-origin': any ? '*' : origin,
        'access-control-expose-headers': EXPOSED,
        ...(cookies && !any && { 'access-control-allow-credentials': 'true' }),
      });
      if (request.method === 'OPTIONS' && request.get('access-control-request-method') !== undefined) {
        response.set({
          'access-control-allow-methods': METHODS,
          'access-control-allow-headers': HEADERS,
          'access-control-max-age': MAX_AGE,
        });
        return void response.status(204).end();
      }
    }
    next();
  };
}
