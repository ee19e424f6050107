/**
 * `/api/auth/…`: the login of the official GUI. There a gateway asks Auth0; here a session is a token of this
 * facade, which the user pastes where the GUI asks for a session token.
 */
import { z } from 'zod';
import { type Principal } from '../http/route';
import { SCOPES, type TokenScope } from '../http/scopes';
import { type FacadeServices } from '../services';
import { okAnswer, route, type FacadeRoute, FacadeError, component } from './declare';

const token = z.string().max(4096);
const user = component(
  'User',
  { display_name: z.string(), roles: z.array(z.string()) },
  'The name of the token, its scopes including implied ones, and the role of the official GUI that shows what it may',
);

/** Permissions by the scope they need; for all others `run`. */
const NEEDED: Readonly<Record<string, TokenScope>> = { view: 'read', read: 'read', admin: 'admin' };

export function auth({ checkToken }: FacadeServices): readonly FacadeRoute[] {
  /** A facade without tokens treats all callers as the same user. */
  const check = checkToken ?? (() => Promise.resolve({ name: 'local', scopes: SCOPES }));
  const identify = (presented: string, scope: TokenScope): Promise<Principal | FacadeError> =>
    check(presented, scope).catch((error: unknown) => {
      if (error instanceof FacadeError) return error;
      throw error;
    });
  return [
    route('POST /api/auth/validate', {
      scope: 'public',
      summary: 'Whether a session is valid: its token is valid and has scope read',
      body: z.object({ session_token: token }),
      answers: okAnswer(
        'Its name, or the reason',
        z.object({ valid: z.boolean(), user: user.nullable(), message: z.string() }),
      ),
      async handle({ body: { session_token } }) {
        const identity = await identify(session_token, 'read');
        if (identity instanceof FacadeError) return { valid: false, user: null, message: identity.message };
        return { valid: true, user: userOf(identity), message: 'the token is valid' };
      },
    }),
    route('POST /api/auth/login', {
      scope: 'public',
      summary: 'Start a session with a token of this facade; Auth0 is not supported',
      body: z.object({ auth0_token: token.describe('The token: `noetl_…`') }),
      answers: okAnswer(
        'The session, which is the token',
        z.object({
          status: z.literal('authenticated'),
          session_token: z.string(),
          user,
          message: z.string(),
        }),
      ),
      errors: [401, 403],
      async handle({ body: { auth0_token } }) {
        const identity = await identify(auth0_token, 'read');
        if (!(identity instanceof FacadeError))
          return {
            status: 'authenticated',
            session_token: auth0_token,
            user: userOf(identity),
            message: 'the token is valid',
          };
        if (identity.code !== 'TOKEN_UNKNOWN') throw identity;
        throw new FacadeError(
          401,
          identity.code,
          'this facade accepts only its own tokens, not Auth0: paste one as session token ' +
            '(create one with noetl-temporal tokens create)',
        );
      },
    }),
    route('POST /api/auth/check-access', {
      scope: 'public',
      summary: 'Whether a token has a permission on a playbook; scopes apply to all playbooks',
      body: z.object({
        session_token: token,
        playbook_path: z.string().max(600),
        permission_type: z
          .string()
          .max(100)
          .default('execute')
          .describe('`view` requires scope read, `admin` admin, everything else run'),
      }),
      answers: okAnswer(
        'Whether it may',
        z.object({
          allowed: z.boolean(),
          user: user.nullable(),
          playbook_path: z.string(),
          permission_type: z.string(),
          message: z.string(),
        }),
      ),
      async handle({ body: { session_token, playbook_path, permission_type } }) {
        const identity = await identify(
          session_token,
          Object.hasOwn(NEEDED, permission_type) ? NEEDED[permission_type]! : 'run',
        );
        const about = { playbook_path, permission_type };
        if (identity instanceof FacadeError)
          return { allowed: false, user: null, ...about, message: identity.message };
        return { allowed: true, user: userOf(identity), ...about, message: 'it may' };
      },
    }),
  ];
}

/** The official GUI shows its pages to the role `admin` only; what a token may, each request says. */
function userOf({ name, scopes }: Principal): z.input<typeof user> {
  return {
    display_name: name,
    roles: [...new Set([...scopes, scopes.includes('run') ? 'admin' : 'viewer'])],
  };
}
