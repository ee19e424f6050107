/** What every kind that sends requests reads of a task: credential, headers, TLS, proxy, time limits. */
import { type TaskCall } from '../../../src/language/plan';
import { resolveAuth } from '../credentials/auth';
import { type Deadline } from '../tool/deadline';
import { booleanField, mappingField, textField } from '../tool/fields';
import { invalidInput } from '../tool/outcome';
import { type ToolContext } from '../tool/tool';
import { requestAuth } from './auth';
import { httpTls, isCertificate } from './tls';
import { type HttpRequest } from './transport';

const DEFAULT_CONNECT_TIMEOUT_S = 10;

export type Identified = Pick<HttpRequest, 'url' | 'headers' | 'secretHeaders'>;

/** A request, but for what it asks. */
export interface RequestBase extends Omit<
  HttpRequest,
  keyof Identified | 'method' | 'body' | 'maxResponseBytes'
> {
  /** Adds the credential, and the headers of the task's trace, to a request to this address. */
  identified(url: URL, headers: Record<string, string>): Identified;
}

/** @throws ToolError for a credential, `tls` or `proxy` that cannot be used */
export async function requestBase(
  call: TaskCall,
  context: ToolContext,
  deadline: Deadline,
): Promise<RequestBase> {
  const credential = await resolveAuth(call, context.credentials);
  const tls = await httpTls(call, credential);
  const auth = requestAuth(isCertificate(credential) ? undefined : credential);
  return {
    identified: (address, given) => {
      const url = new URL(address);
      const headers = { 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'noetl-temporal', ...given };
      for (const [name, value] of Object.entries(auth.query)) url.searchParams.set(name, value);
      const basic = userInfo(url);
      if (basic && !('authorization' in headers)) Object.assign(headers, { authorization: basic });
      // Trace headers are allowed per host: a redirect to another host must not carry them.
      const traced = Object.entries(context.traceHeaders?.(url) ?? {}).filter(([name]) => !(name in headers));
      const own = Object.entries(auth.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
      const secretHeaders = [...own, ...traced].map(([name]) => name.toLowerCase());
      return { url, headers: { ...headers, ...Object.fromEntries([...traced, ...own]) }, secretHeaders };
    },
    isSecret: context.redact && ((text) => context.redact!(text) !== text),
    followRedirects: booleanField(call, ['follow_redirects'], true),
    verifySsl: booleanField(call, ['verify_ssl', 'verify'], verifyOf(call)),
    tls,
    proxy: proxyField(call),
    connectTimeoutMs: Math.min(call.timeout.connect ?? DEFAULT_CONNECT_TIMEOUT_S, deadline.seconds) * 1000,
    readTimeoutMs: (call.timeout.read ?? deadline.seconds) * 1000,
    signal: deadline.signal,
  };
}

/** @throws ToolError `INVALID_URL` */
export function httpUrl({ kind }: TaskCall, given: string | undefined): URL {
  const text = given?.trim();
  if (!text) throw invalidInput(`${kind}: no url provided (url or endpoint)`, 'INVALID_URL');
  const url = URL.parse(text);
  if (!url) throw invalidInput(`${kind}: '${text}' is not a URL`, 'INVALID_URL');
  if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  throw invalidInput(`${kind}: '${url.protocol}' is not http: or https:`, 'INVALID_URL');
}

/** `tls.verify`, if `verify_ssl` is not set. */
function verifyOf(call: TaskCall): boolean {
  const verify = mappingField(call, 'tls')?.['verify'];
  return verify === undefined || verify === null || !/^(false|no|off|0)$/i.test(String(verify).trim());
}

/** `false` and `''` mean no proxy, whatever the environment says. */
function proxyField(call: TaskCall): string | undefined {
  const value = call.config['proxy'];
  return value === false || value === '' ? 'none' : textField(call, 'proxy');
}

/** `https://user:password@host` becomes basic auth and is removed from the URL, which results and messages show. */
function userInfo(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/**
 * Lower-case names. Null omits a header; a list is joined. @throws ToolError for characters that headers cannot contain
 */
export function headersOf(call: TaskCall): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(mappingField(call, 'headers') ?? {})) {
    if (value === null || value === undefined) continue;
    const text = Array.isArray(value)
      ? value.join(', ')
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw invalidInput(`${call.kind}: '${name}' is not a header name`, 'INVALID_HEADER');
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
      throw invalidInput(
        `${call.kind}: header '${name}' has a character that headers cannot contain`,
        'INVALID_HEADER',
      );
    }
    headers[name.toLowerCase()] = text.trim();
  }
  return headers;
}
