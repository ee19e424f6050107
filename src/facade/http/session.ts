/** The cookie that holds the token of a person who uses the console, and when it counts. */
import { type Request } from 'express';

export const SESSION_COOKIE = 'noetl_session';
/** What the console's own requests carry: pages of other origins may send it only if we allow it, which we never do. */
export const CONSOLE_HEADER = 'x-noetl-console';

/**
 * The token of the cookie, if the request comes from the console: a page of another site cannot send its header without
 * asking leave first (CORS), and browsers that say where a request comes from say that it is this origin.
 */
export function sessionTokenOf(request: Request): string | undefined {
  const from = request.get('sec-fetch-site');
  if (request.get(CONSOLE_HEADER) === undefined || (from !== undefined && from !== 'same-origin'))
    return undefined;
  for (const pair of (request.get('cookie') ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === SESSION_COOKIE && value) return value;
  }
  return undefined;
}
