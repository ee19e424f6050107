/** Who asks, and whether they may (DESIGN.md section 8). */
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
 * and of whom they mean to reach (`Host`; a foreign name may be made to point at 127.0.0.1).
 *
 * @param origins whose pages may ask all the same (`--cors`)
 */
export function openFor(origins: readonly string[]): Authenticate {
  const any = origins.includes('*');
  return (request) => {
    const host = request.get('host');
    const origin = request.get('origin');
    const isForeign =
      origin !== undefined && !any && !origins.includes(origin) && !isLoopback(hostOf(origin));
    if (isForeign || (host !== undefined && !isLoopback(hostOf(`http://${host}`)))) {
      throw new FacadeError(
        403,
        'ORIGIN_REFUSED',
        'this facade asks for no token and answers this machine only, not pages of other sites',
      );
    }
    return Promise.resolve(LOCAL);
  };
}

/** For nobody else's pages. */
export const open: Authenticate = openFor([]);

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : '';
}
