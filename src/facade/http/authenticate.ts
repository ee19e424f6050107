/** Who asks, and whether they may. */
import { type Request } from 'express';
import { FacadeError } from './errors';
import { isLoopback } from './listen';
import { type Principal, type Scope, SCOPES } from './route';

/**
 * Tells who asks.
 *
 * @throws FacadeError 401 when nobody known does, 403 when they lack the scope
 */
export type Authenticate = (request: Request, scope: Scope | 'public') => Promise<Principal>;

const LOCAL: Principal = { name: 'local', scopes: SCOPES };

/**
 * Everybody on this machine may everything: only for a facade that listens on loopback alone. The browser is on this
 * machine as well, and shows pages of anybody: their requests are told by the names of where they come from (`Origin`)
 * and of whom they mean to reach (`Host`; a foreign name may be made to point at 127.0.0.1). Pages that this machine
 * serves elsewhere may read, and write what their browser asked leave for first, which it does for JSON.
 *
 * @param origins whose pages may all the same (`--cors`)
 */
export function openFor(origins: readonly string[]): Authenticate {
  const any = origins.includes('*');
  return (request) => {
    const host = request.get('host');
    if (host !== undefined && !isLoopback(hostOf(`http://${host}`))) throw refused();
    const origin = request.get('origin');
    const isKnown =
      origin === undefined || any || origins.includes(origin) || origin === `http://${host?.toLowerCase()}`;
    if (isKnown) return Promise.resolve(LOCAL);
    if (!isLoopbackOrigin(origin)) throw refused();
    // Of what changes something browsers send only a POST unasked, and none of JSON.
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

/** For nobody else's pages. */
export const open: Authenticate = openFor([]);

/** Whether pages of an origin come from this machine. */
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
