/**
 * `/api/auth/session`: login of the console. The token is stored in a cookie that scripts cannot read and other
 * sites cannot send; it is accepted only for the console's own requests (http/session.ts).
 */
import { z } from 'zod';
import { FacadeError } from '../http/errors';
import { okAnswer, type Route, route, SCOPES } from '../http/route';
import { SESSION_COOKIE, sessionTokenOf } from '../http/session';
import { type FacadeServices } from '../services';

const SESSION_MS = 12 * 3_600_000;

const session = z
  .object({
    needs_token: z.boolean().meta({ description: 'Whether this facade requires tokens' }),
    name: z.string().nullable().meta({ description: 'Of the token; null: nobody is logged in' }),
    scopes: z.array(z.enum(SCOPES)),
    version: z.string(),
    temporal_ui: z.string().nullable().meta({ description: 'Where Temporal’s own pages are, if known' }),
  })
  .meta({ id: 'Session' });

export function sessionRoutes(services: FacadeServices): readonly Route[] {
  const { checkToken, version, uiOrigins, client } = services;
  const about = async (token: string | undefined): Promise<z.input<typeof session>> => {
    const ui = uiOrigins?.[0];
    const here = { version, temporal_ui: ui ? `${ui}/namespaces/${client.options.namespace}` : null };
    if (!checkToken) return { needs_token: false, name: 'local', scopes: [...SCOPES], ...here };
    if (token === undefined) return { needs_token: true, name: null, scopes: [], ...here };
    const { name, scopes } = await checkToken(token, 'read');
    return { needs_token: true, name, scopes: [...scopes], ...here };
  };
  return [
    route('GET /api/auth/session', {
      scope: 'public',
      summary: 'Who is logged in to the console in this browser, and what they may',
      answers: okAnswer('The session', session),
      handle: async ({ request }) =>
        await about(sessionTokenOf(request)).catch((error: unknown) => {
          if (error instanceof FacadeError) return about(undefined);
          throw error;
        }),
    }),
    route('POST /api/auth/session', {
      scope: 'public',
      summary: 'Log in to the console with a token: it stays in a cookie of this browser for twelve hours',
      body: z.object({ token: z.string().trim().min(1).max(300) }),
      answers: okAnswer('The session', session),
      errors: [401, 403, 409],
      async handle({ body: { token }, request, response }) {
        if (!checkToken) throw new FacadeError(409, 'NO_TOKENS', 'this facade requires no token');
        const answer = await about(token);
        response.cookie(SESSION_COOKIE, token, { ...attributes(request.secure), maxAge: SESSION_MS });
        return answer;
      },
    }),
    route('DELETE /api/auth/session', {
      scope: 'public',
      summary: 'Log out of the console in this browser',
      answers: okAnswer('Nobody is logged in', session),
      async handle({ request, response }) {
        response.clearCookie(SESSION_COOKIE, attributes(request.secure));
        return await about(undefined);
      },
    }),
  ];
}

function attributes(secure: boolean) {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
}
