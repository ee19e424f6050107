/**
 * `/codec/session`: gives a browser access to `/codec/decode`. The Temporal UI sends its own user's token or none,
 * and cannot be given ours; but it can send cookies (`TEMPORAL_CODEC_INCLUDE_CREDENTIALS`). So a user with a token
 * of scope `read` enters it here once; it is stored in a cookie for the codec server only, unreadable for scripts.
 */
import { type Request, type Response } from 'express';
import { z } from 'zod';
import { CODEC_COOKIE, CODEC_PATH, CODEC_SESSION_PATH } from '../http/codec-cookie';
import { route, FacadeError } from './declare';

const SESSION_MS = 12 * 3_600_000;

const html = (description: string) => ({ 200: { description, content: { 'text/html': 'a page' } } });

const common = { scope: 'public', alias: true } as const;

export const codecSessionRoutes = [
  route(`GET ${CODEC_SESSION_PATH}`, {
    ...common,
    summary: 'A page to enter a token, so that the Temporal UI in this browser shows decrypted payloads',
    answers: html('The page'),
    handle: ({ response }, { checkToken }) =>
      send(response, checkToken ? FORM : '<p>This facade requires no token.</p>'),
  }),
  route(`POST ${CODEC_SESSION_PATH}`, {
    ...common,
    summary:
      'Store a token for `/codec/decode` in a cookie of this browser, for twelve hours; without a token, delete the cookie',
    body: z.object({ token: z.string().max(300).default('') }),
    form: true,
    answers: html('The cookie is set or deleted'),
    async handle({ body, request, response }, { checkToken }) {
      if (!isOfThisOrigin(request))
        throw new FacadeError(403, 'ORIGIN_REFUSED', 'this form is sent from its own page only');
      const token = body.token.trim();
      const attributes = {
        path: CODEC_PATH,
        httpOnly: true,
        sameSite: 'strict',
        secure: request.secure,
      } as const;
      if (token === '') {
        response.clearCookie(CODEC_COOKIE, attributes);
        return send(response, '<p>The token has been deleted.</p>');
      }
      if (!checkToken) throw new FacadeError(409, 'NO_TOKENS', 'this facade requires no token');
      await checkToken(token, 'read');
      response.cookie(CODEC_COOKIE, token, { ...attributes, maxAge: SESSION_MS });
      send(
        response,
        '<p>The Temporal UI in this browser now shows decrypted payloads, for twelve hours.</p>',
      );
    },
    errors: [401, 403, 409],
  }),
];

const FORM = `<form method="post" action="${CODEC_SESSION_PATH}">
      <p><label>A token with the scope read (<code>noetl-temporal tokens create NAME --scopes read</code>)<br>
        <input type="password" name="token" size="70" autocomplete="off" autofocus></label>
        <button>Show payloads decrypted</button></p>
      <p>It is stored in a cookie of this browser for twelve hours and sent to <code>${CODEC_PATH}</code> only. Submit an empty form to delete it.</p>
    </form>`;

/** Another site's page must not put a token of its own into this browser, nor delete the one that is there. */
function isOfThisOrigin(request: Request): boolean {
  const from = request.get('sec-fetch-site');
  if (from !== undefined && from !== 'same-origin' && from !== 'none') return false;
  const origin = request.get('origin');
  // A proxy may end TLS: the host is compared, not the scheme.
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === request.get('host'));
}

/** Sends the response directly, because it is not JSON. */
function send(response: Response, body: string): void {
  response.type('html').send(`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>noetl-temporal: payloads in the Temporal UI</title></head>
  <body>
    <h1>Payloads in the Temporal UI</h1>
    ${body}
  </body>
</html>
`);
}
