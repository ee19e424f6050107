/** The cookie that lets a browser's Temporal UI ask for payloads to be decrypted (routes/codec-session.ts). */
import { type Request } from 'express';

/** Where the codec server is: what the UI is told, without `/decode`. */
export const CODEC_PATH = '/codec';
export const CODEC_SESSION_PATH = `${CODEC_PATH}/session`;
export const CODEC_COOKIE = 'noetl_codec';

/** The token of the cookie; for decrypting and nothing else, whatever else its scopes allow. */
export function codecCookieOf(request: Request): string | undefined {
  if (request.method !== 'POST' || request.path !== `${CODEC_PATH}/decode`) return undefined;
  for (const pair of (request.get('cookie') ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === CODEC_COOKIE && value) return value;
  }
  return undefined;
}
