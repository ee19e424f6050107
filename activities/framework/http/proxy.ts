/** Which proxy a request goes through: the task's `proxy`, else `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`. */
import { BlockList, isIP } from 'node:net';
import { invalidInput } from '../tool/outcome';

type Environment = Readonly<Record<string, string | undefined>>;

/** @param field the task's `proxy`: an address, `''` or `'none'` for no proxy, undefined to use the environment */
export function proxyFor(
  url: URL,
  field: string | undefined,
  env: Environment = process.env,
): string | undefined {
  if (field !== undefined) return ['', 'none', 'false'].includes(field) ? undefined : address(field, 'proxy');
  const read = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = read(name) ?? read('ALL_PROXY');
  if (proxy === undefined || isExempt(url, read('NO_PROXY') ?? '')) return undefined;
  return address(proxy, name);
}

function address(text: string, where: string): string {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.href;
  // The text is not quoted: it may contain a password.
  throw invalidInput(`http: ${where} is not the address of a proxy (http://host:port)`, 'INVALID_PROXY');
}

/**
 * `*`, `host` (and what is below it), `.domain`, `host:port`, addresses and networks (`10.0.0.0/8`). Loopback is always
 * exempt: through a proxy, localhost would be another machine.
 */
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\./.test(host))
    return true;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matchesHost(entry, host, port));
}

/** Whether an entry of NO_PROXY or NOETL_HTTP_ALLOW matches the host. */
export function matchesHost(entry: string, host: string, port: string): boolean {
  if (entry.includes('/')) return inNetwork(entry, host);
  const match = /^(.*?)(?::(\d+))?$/.exec(entry.replace(/^\*(?=\.)/, ''))!;
  const bare = isIP(entry) ? entry : match[1]!;
  if (!isIP(entry) && match[2] !== undefined && match[2] !== port) return false;
  if (bare.startsWith('.')) return host.endsWith(bare);
  return host === bare || (!isIP(host) && host.endsWith(`.${bare}`));
}

/** @param network `10.0.0.0/8`, `fd00::/8` */
export function inNetwork(network: string, host: string): boolean {
  const [base, bits] = network.split('/') as [string, string];
  const version = isIP(base);
  const prefix = Number(bits);
  if (version === 0 || !isIP(host) || !Number.isInteger(prefix) || prefix > (version === 4 ? 32 : 128))
    return false;
  const list = new BlockList();
  list.addSubnet(base, prefix, version === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}
