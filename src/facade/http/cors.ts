/** Pages of other origins: none may ask, unless the operator named them (`--cors`). */
import { type RequestHandler } from 'express';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const HEADERS =
  'authorization, content-type, idempotency-key, last-event-id, x-namespace, x-request-id, x-session-token';
const EXPOSED = 'x-request-id, retry-after, ratelimit, ratelimit-policy';
/** How long a browser may remember the answer to its preflight, in seconds. */
const MAX_AGE = '600';

/**
 * @param origins as browsers send them: `https://gui.example.com`; `*` for any page
 * @param cookies whether these pages may send ours along
 */
export function cors(origins: readonly string[], { cookies = false } = {}): RequestHandler {
  const any = origins.includes('*');
  return (request, response, next) => {
    const origin = request.get('origin');
    if (!any) response.vary('origin');
    if (origin !== undefined && (any || origins.includes(origin))) {
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
