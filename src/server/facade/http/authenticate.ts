/** Authentication and authorisation. */
import { type Request } from 'express';
import { FacadeError } from './errors';
import { isLoopback } from './listen';
import { announcesBody } from './unread';
import { type Principal } from './route';
import { SCOPES, type TokenScope } from './scopes';

/**
 * Authenticates a request.
 *
 * @throws FacadeError 401 without a known caller, 403 if the scope is missing
 */
export type Authenticate = (request: Request, scope: TokenScope | 'public') => Promise<Principal>;

export const LOCAL: Principal = { name: 'local', scopes: SCOPES, anyone: true };

/**
 * Grants everything to everybody on this machine: only for a facade that listens on loopback alone. A browser on
 * this machine also runs pages of other sites; their requests are recognised by `Origin` (where they come from) and
 * `Host` (a foreign name may resolve to 127.0.0.1). Pages served by this machine on other ports may read, and may
 * write with requests that need a CORS preflight, as JSON does. A page loads what it cannot read (an image, a script)
 * without telling its origin: such requests are recognised by `Sec-Fetch-Site`, and refused unless a person follows a
 * link.
 *
 * @param origins whose pages are allowed nevertheless (`--cors`)
 */
export function openFor(origins: readonly string[]): Authenticate {
  const here = openHere(origins);
  // Requests to an ingress come from elsewhere: they are signed.
  return (request, scope) =>
    scope === 'public' && request.path.startsWith('/ingress/')
      ? Promise.resolve(LOCAL)
      : here(request, scope);
}

function openHere(origins: readonly string[]): Authenticate {
  const any = origins.includes('*');
  return (request) => {
    const host = request.get('host');
    if (host !== undefined && !isLoopback(hostOf(`http://${host}`))) throw refused();
    const origin = request.get('origin');
    if (origin === undefined && isEmbedded(request)) throw refused();
    const isKnown =
      origin === undefined || any || origins.includes(origin) || origin === `http://${host?.toLowerCase()}`;
    if (isKnown) return Promise.resolve(LOCAL);
    if (!isLoopbackOrigin(origin)) throw refused();
    // The GUI's button: a page of this machine may do the same by JSON.
    if (isBareStop(request)) return Promise.resolve(LOCAL);
    // Of the requests that change something, browsers send only POST without a preflight, and not as JSON.
    if (request.method === 'POST' && !/^application\/json\b/i.test(request.get('content-type') ?? ''))
      throw new FacadeError(
        403,
        'JSON_NEEDED',
        `a page of ${origin} must send content-type: application/json to change anything, even without a body ` +
          `(or start the facade with --cors ${origin})`,
      );
    return Promise.resolve(LOCAL);
  };
}

/** Which no form sends: it has a type even without fields. */
function isBareStop(request: Request): boolean {
  const { method, path } = request;
  const isBare = !announcesBody(request) && request.get('content-type') === undefined;
  return isBare && method === 'POST' && /^\/api\/executions\/\d+\/stop$/.test(path);
}

/** A page of another origin loads this into itself, or sends a form. */
function isEmbedded(request: Request): boolean {
  const from = request.get('sec-fetch-site');
  if (from === undefined || from === 'same-origin' || from === 'none') return false;
  return request.get('sec-fetch-mode') !== 'navigate' || request.method !== 'GET';
}

/** Whether an origin is on this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  return isLoopback(hostOf(origin));
}

function refused(): FacadeError {
  return new FacadeError(
    403,
    'ORIGIN_REFUSED',
    'this facade requires no token and answers this machine only, not pages of other sites',
  );
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : '';
}
