/** Authentication by bearer token. */
import { type Request } from 'express';
import { type KnownToken, type Tokens } from '../../store';
import { type Authenticate } from './authenticate';
import { FacadeError } from './errors';
import { type Principal } from './route';
import { SCOPES, type TokenScope } from './scopes';
import { sessionTokenOf } from './session';

export interface TokenAuthentication {
  readonly authenticate: Authenticate;
  /** The id of the valid token of a request, for the rate limit. */
  callerOf(request: Request): Promise<string | undefined>;
  /** Looks up a token. @throws FacadeError 401 if it is not valid, 403 if it lacks the scope */
  check(token: string, scope: TokenScope): Promise<Principal>;
}

/** Scopes included in a scope. */
const INCLUDES: Readonly<Record<TokenScope, readonly TokenScope[]>> = {
  read: ['read'],
  run: ['run', 'read'],
  worker: ['worker'],
  admin: SCOPES,
};

const NOBODY: Principal = { name: 'anonymous', scopes: [] };

/**
 * Accepts tokens in `Authorization: Bearer`, in `x-session-token` (sent by the official CLI as well), or in the
 * console's cookie; that of `/events` in its query. Every request looks up its token, so a revocation takes effect at once.
 *
 * @param report called if the use of a token could not be recorded
 */
export function byToken(tokens: Tokens, report: (error: unknown) => void): TokenAuthentication {
  const byRequest = new WeakMap<Request, Promise<KnownToken | undefined>>();
  const find = (request: Request): Promise<KnownToken | undefined> => {
    const presented = tokenOf(request);
    if (presented === undefined) return Promise.resolve(undefined);
    let principal = byRequest.get(request);
    if (!principal) byRequest.set(request, (principal = tokens.find(presented)));
    return principal;
  };
  return {
    async authenticate(request, scope) {
      if (scope === 'public') return NOBODY;
      const token = await find(request);
      if (token?.state !== 'valid') {
        request.res?.set('www-authenticate', 'Bearer realm="noetl-temporal"');
        throw refusal(tokenOf(request) !== undefined, token);
      }
      const principal = principalOf(token, scope);
      tokens.touch(token.id).catch(report);
      return principal;
    },
    async check(presented, scope) {
      const token = await tokens.find(presented);
      if (token?.state !== 'valid') throw refusal(true, token);
      return principalOf(token, scope);
    },
    async callerOf(request) {
      const token = await find(request);
      return token?.state === 'valid' ? token.id : undefined;
    },
  };
}

/** @throws FacadeError 403 */
function principalOf(token: KnownToken, scope: TokenScope): Principal {
  const scopes = [...new Set(token.scopes.flatMap((one) => INCLUDES[one as TokenScope] ?? []))];
  const { name, credentials, kinds, pools, paths, granted } = token;
  if (scopes.includes(scope)) return { name, scopes, limits: { credentials, kinds, pools, paths, granted } };
  throw new FacadeError(403, 'SCOPE_MISSING', `the token "${name}" lacks the scope ${scope}`, {
    scope,
  });
}

/** Whether a request presents a token, of whatever worth. */
export function hasToken(request: Request): boolean {
  return tokenOf(request) !== undefined;
}

function tokenOf(request: Request): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.get('authorization') ?? '')?.[1];
  return bearer ?? request.get('x-session-token') ?? sessionTokenOf(request) ?? streamTokenOf(request);
}

/** An EventSource sends no headers: the official gateway takes the token of its stream from the query. */
function streamTokenOf({ method, path, query }: Request): string | undefined {
  const token = method === 'GET' && path === '/events' ? query['session_token'] : undefined;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** 401, with the reason if the token is one of ours. */
function refusal(presented: boolean, token: KnownToken | undefined): FacadeError {
  if (token) {
    const code = token.state === 'revoked' ? 'TOKEN_REVOKED' : 'TOKEN_EXPIRED';
    return new FacadeError(401, code, `the token "${token.name}" ${REFUSALS[token.state]}`);
  }
  if (presented) return new FacadeError(401, 'TOKEN_UNKNOWN', 'unknown token');
  return new FacadeError(
    401,
    'TOKEN_MISSING',
    'a token is required: Authorization: Bearer <token> (create one with noetl-temporal tokens create)',
  );
}

const REFUSALS: Readonly<Record<KnownToken['state'], string>> = {
  valid: 'is valid',
  expired: 'has expired',
  revoked: 'was revoked',
};
