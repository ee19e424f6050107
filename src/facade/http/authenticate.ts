/** Who asks, and whether they may (DESIGN.md section 8). */
import { type Request } from 'express';
import { type Principal, type Scope, SCOPES } from './route';

/**
 * Tells who asks.
 *
 * @throws FacadeError 401 when nobody known does, 403 when they lack the scope
 */
export type Authenticate = (request: Request, scope: Scope | 'public') => Promise<Principal>;

const LOCAL: Principal = { name: 'local', scopes: SCOPES };

/** Everybody may everything: only for a facade that listens on loopback alone. */
export const open: Authenticate = () => Promise.resolve(LOCAL);
