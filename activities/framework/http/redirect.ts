/** What of a request goes on to where a response redirects it: to another origin, nothing that is secret. */
import { CodedError } from '../../../src/language/errors';
import { type StreamedBody } from './multipart';
import { type HttpTlsOptions, withoutIdentity } from './tls';

/** The part of a request that a redirect can change. */
export interface Sent {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | StreamedBody | undefined;
  readonly tls: HttpTlsOptions | undefined;
}

/** What is secret in it. */
export interface Secrecy {
  /** Lower-case names of the headers added by `auth`. */
  readonly secretHeaders: readonly string[];
  /** Whether a text contains a secret of the task, in any encoding. */
  readonly isSecret?: ((text: string) => boolean) | undefined;
}

/** Headers that are credentials by their name, whatever their value is. */
const CREDENTIAL_HEADER =
  /^(proxy-)?authorization$|^cookie2?$|(^|-)(api-?key|access-?key|auth-?key|subscription-key|functions-key|secret|token|jwt|password|credentials?|session|signature|authorization|auth)(-|$)/;
/** These belong to the body. */
const OF_BODY = /^(content-.*|idempotency-key)$/;

/**
 * The request that follows a redirect: 303, and 301 and 302 after a POST, become a GET without a body, as in browsers.
 * Another origin (scheme, host or port) gets no credentials, no header made of a secret and no client certificate; what
 * is gone does not come back if a later redirect returns to the first origin.
 *
 * @throws CodedError `REDIRECT_WITH_SECRET` where a body with a secret would go to another origin
 */
export function redirected(sent: Sent, status: number, location: URL, secrecy: Secrecy): Sent {
  const becomesGet = status === 303 ? sent.method !== 'HEAD' : status < 303 && sent.method === 'POST';
  const next = becomesGet
    ? {
        ...sent,
        method: 'GET',
        body: undefined,
        headers: without(sent.headers, ([name]) => OF_BODY.test(name)),
      }
    : sent;
  if (location.origin === sent.url.origin) return { ...next, url: location };
  const { secretHeaders, isSecret = () => false } = secrecy;
  if (isSecret(searchable(next.body))) {
    const message = `the response ${status} redirects a body that contains a secret to another origin, ${location.origin}; send it to that address, or set follow_redirects: false`;
    throw new CodedError('REDIRECT_WITH_SECRET', message);
  }
  const headers = without(
    next.headers,
    ([name, value]) =>
      name === 'host' ||
      CREDENTIAL_HEADER.test(name) ||
      secretHeaders.includes(name) ||
      isSecret(value) ||
      isSecret(`${name}: ${value}`),
  );
  return { ...next, url: location, headers, tls: withoutIdentity(sent.tls) };
}

function without(
  headers: Record<string, string>,
  isLeftOut: (header: readonly [name: string, value: string]) => boolean,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !isLeftOut([name.toLowerCase(), value])),
  );
}

/** Files are not searched: nothing in them came from the keychain. */
function searchable(body: Sent['body']): string {
  if (body === undefined || typeof body === 'string') return body ?? '';
  return Buffer.isBuffer(body) ? body.toString('utf8') : body.text;
}
