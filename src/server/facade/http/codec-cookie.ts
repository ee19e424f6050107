/** The cookie with which a browser's Temporal UI may have payloads decrypted (routes/codec-session.ts). */
import { type Request } from 'express';
import { cookieOf } from './session';

/** The path of the codec server, as configured in the UI, without `/decode`. */
export const CODEC_PATH = '/codec';
export const CODEC_SESSION_PATH = `${CODEC_PATH}/session`;
export const CODEC_COOKIE = 'noetl_codec';

/** The token of the cookie; valid only for decryption, whatever its scopes. */
export function codecCookieOf(request: Request): string | undefined {
  if (request.method !== 'POST' || request.path !== `${CODEC_PATH}/decode`) return undefined;
  return cookieOf(request, CODEC_COOKIE);
}
