/** The cookie with the token of a console user, and when it is accepted. */
import { type Request } from 'express';

export const SESSION_COOKIE = 'noetl_session';
/** The path of the codec server, as configured in the Temporal UI, without `/decode`. */
export const CODEC_PATH = '/codec';
/**
 * Sent with the console's own requests: pages of other origins can send it only if CORS allows it, which we never
 * do.
 */
const CONSOLE_HEADER = 'x-noetl-console';

/**
 * The token of the cookie, if the request comes from the console: another site's page cannot send the console's
 * header without a CORS preflight, and browsers that report the origin of a request report this one. The Temporal UI
 * sends its own user's token or none, and cannot be given ours; but its pages, which CORS names, can send cookies
 * (`TEMPORAL_CODEC_INCLUDE_CREDENTIALS`): to have payloads decrypted, and for nothing else.
 */
export function sessionTokenOf(request: Request): string | undefined {
  if (request.method === 'POST' && request.path === `${CODEC_PATH}/decode`)
    return cookieOf(request, SESSION_COOKIE);
  const from = request.get('sec-fetch-site');
  if (request.get(CONSOLE_HEADER) === undefined || (from !== undefined && from !== 'same-origin'))
    return undefined;
  return cookieOf(request, SESSION_COOKIE);
}

/** The value of a cookie of the request, unless it is empty. */
function cookieOf(request: Request, cookie: string): string | undefined {
  for (const pair of (request.get('cookie') ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookie && value) return value;
  }
  return undefined;
}
