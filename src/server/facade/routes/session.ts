/**
 * `/api/auth/session`: login of the console. The token is stored in a cookie that scripts cannot read and other
 * sites cannot send; it is accepted only for the console's own requests, and to decrypt payloads (http/session.ts).
 */
import { z } from 'zod';
import { SESSION_COOKIE, sessionTokenOf } from '../http/session';
import { SCOPES } from '../http/scopes';
import { sessionSchema } from '../documents/server';
import { okAnswer, route, FacadeError } from './declare';
import { type RouteServices } from '../services';
import { type ConsoleSession } from '../documents';

const SESSION_MS = 12 * 3_600_000;

async function sessionOf(
  { checkToken, version, uiOrigins, client }: RouteServices,
  token: string | undefined,
): Promise<ConsoleSession> {
  const ui = uiOrigins?.[0];
  const here = { version, temporal_ui: ui ? `${ui}/namespaces/${client.options.namespace}` : null };
  if (!checkToken) return { needs_token: false, name: 'local', scopes: [...SCOPES], ...here };
  if (token === undefined) return { needs_token: true, name: null, scopes: [], ...here };
  const { name, scopes } = await checkToken(token, 'read');
  return { needs_token: true, name, scopes: [...scopes], ...here };
}

export const sessionRoutes = [
  route('GET /api/auth/session', {
    scope: 'public',
    summary: 'Who is logged in to the console in this browser, and what they may',
    answers: okAnswer('The session', sessionSchema),
    handle: async ({ request }, services) =>
      await sessionOf(services, sessionTokenOf(request)).catch((error: unknown) => {
        if (error instanceof FacadeError) return sessionOf(services, undefined);
        throw error;
      }),
  }),
  route('POST /api/auth/session', {
    scope: 'public',
    summary: 'Log in to the console with a token: it stays in a cookie of this browser for twelve hours',
    body: z.object({ token: z.string().trim().min(1).max(300) }),
    answers: okAnswer('The session', sessionSchema),
    errors: [401, 403, 409],
    async handle({ body: { token }, request, response }, services) {
      if (!services.checkToken) throw new FacadeError(409, 'NO_TOKENS', 'this facade requires no token');
      const answer = await sessionOf(services, token);
      response.cookie(SESSION_COOKIE, token, { ...attributes(request.secure), maxAge: SESSION_MS });
      return answer;
    },
  }),
  route('DELETE /api/auth/session', {
    scope: 'public',
    summary: 'Log out of the console in this browser',
    answers: okAnswer('Nobody is logged in', sessionSchema),
    async handle({ request, response }, services) {
      response.clearCookie(SESSION_COOKIE, attributes(request.secure));
      return await sessionOf(services, undefined);
    },
  }),
];

function attributes(secure: boolean) {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
}
