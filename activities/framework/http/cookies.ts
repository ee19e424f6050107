/**
 * The cookies that the redirects of one request set, as a login expects: they are sent on to the host and port that set
 * them, and forgotten with the request. `Domain` does not widen them: a list of public suffixes would be needed to tell
 * whose they are.
 */
interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly secure: boolean;
}

export class RedirectCookies {
  /** By host and port; http and https on their own ports are one place, as in browsers. */
  private readonly byHost = new Map<string, Map<string, Cookie>>();

  /** Takes what a response of this address sets. */
  take(url: URL, header: string | readonly string[] | undefined): void {
    const lines = header === undefined ? [] : typeof header === 'string' ? [header] : header;
    for (const line of lines) this.set(url, line);
  }

  private set(url: URL, line: string): void {
    const [pair = '', ...rest] = line.split(';');
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at === -1 || name === '') return;
    const attributes = new Map(
      rest.map((each) => {
        const [key = '', ...value] = each.split('=');
        return [key.trim().toLowerCase(), value.join('=').trim()];
      }),
    );
    const own = attributes.get('path');
    const path = own?.startsWith('/') ? own : defaultPath(url);
    const cookies = this.byHost.get(url.host) ?? new Map<string, Cookie>();
    this.byHost.set(url.host, cookies);
    const key = `${name} ${path}`;
    if (isOver(attributes)) cookies.delete(key);
    else cookies.set(key, { value: pair.slice(at + 1).trim(), path, secure: attributes.has('secure') });
  }

  /** The headers of a request to this address; a cookie that was set replaces one of the request. */
  onto(headers: Record<string, string>, url: URL): Record<string, string> {
    const fitting = [...(this.byHost.get(url.host) ?? [])].filter(
      ([, { path, secure }]) => reaches(path, url.pathname) && (!secure || url.protocol === 'https:'),
    );
    if (fitting.length === 0) return headers;
    const header = Object.keys(headers).find((name) => name.toLowerCase() === 'cookie') ?? 'cookie';
    // The longest path first: servers take the first of a name.
    fitting.sort(([, a], [, b]) => b.path.length - a.path.length);
    const set = fitting.map(([key, { value }]) => [key.slice(0, key.indexOf(' ')), value] as const);
    const names = new Set(set.map(([name]) => name));
    const given = (headers[header] ?? '').split(';').map((each) => each.trim());
    const kept = given.filter((each) => each !== '' && !names.has(each.split('=', 1)[0]!));
    return { ...headers, [header]: [...kept, ...set.map(([name, value]) => `${name}=${value}`)].join('; ') };
  }
}

/** RFC 6265, 5.1.4. */
const defaultPath = ({ pathname }: URL): string => pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));

const reaches = (path: string, pathname: string): boolean =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);

/** `Max-Age` counts before `Expires`. */
function isOver(attributes: ReadonlyMap<string, string>): boolean {
  const age = attributes.get('max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  return Date.parse(attributes.get('expires') ?? '') < Date.now();
}
