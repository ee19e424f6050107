/**
 * Addresses a playbook's request never reaches. By default link-local ones, behind which clouds keep the machine's own
 * credentials (`NOETL_HTTP_ALLOW_LINK_LOCAL=1` on the worker lifts it); with `NOETL_HTTP_ALLOW` on the worker, a list
 * of hosts and networks, everything else. Checked of each URL (also of a redirect) and again at the moment of
 * connecting, so that no DNS answer leads elsewhere.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { CodedError } from '../../../src/errors';
import { inNetwork, matchesHost } from './proxy';

const denied = new BlockList();
denied.addSubnet('169.254.0.0', 16, 'ipv4'); // 169.254.169.254, 169.254.170.2: AWS, GCP, Azure, ECS, …
denied.addAddress('100.100.100.200', 'ipv4'); // Alibaba
denied.addSubnet('fe80::', 10, 'ipv6');
denied.addAddress('fd00:ec2::254', 'ipv6'); // AWS
denied.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6'); // 169.254/16 behind NAT64
denied.addSubnet('2002:a9fe::', 32, 'ipv6'); // 169.254/16 behind 6to4

/** Known without asking DNS: a proxy resolves names where we do not see the answer. */
const DENIED_NAMES = ['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal'];

function addressDenied(host: string, address: string): CodedError {
  const shown = host === address ? host : `${host} (${address})`;
  return new CodedError('ADDRESS_DENIED', `${shown} is a link-local address, where clouds keep credentials`);
}

function hostNotAllowed(host: string): CodedError {
  return new CodedError(
    'HOST_NOT_ALLOWED',
    `the host ${host} is not among those this worker may reach (NOETL_HTTP_ALLOW)`,
  );
}

export function isDenied(address: string): boolean {
  if (process.env['NOETL_HTTP_ALLOW_LINK_LOCAL'] === '1') return false;
  const version = isIP(address);
  // BlockList checks IPv4-mapped IPv6 addresses (::ffff:169.254.…) against the IPv4 rules by itself.
  return version !== 0 && denied.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * @param resolves whether this process looks the name up itself, and not a proxy
 * @throws CodedError `ADDRESS_DENIED`, `HOST_NOT_ALLOWED` for what the URL already shows; names are checked again by `guardedLookup`
 */
export function checkUrl(url: URL, resolves: boolean): void {
  const host = bareHost(url.hostname);
  const isDeniedName = DENIED_NAMES.includes(host) && process.env['NOETL_HTTP_ALLOW_LINK_LOCAL'] !== '1';
  if (isDenied(host) || isDeniedName) throw addressDenied(host, host);
  const allowed = allowList();
  if (!allowed) return;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (allowed.some((entry) => matchesHost(entry, host, port))) return;
  // The address may still be in an allowed network.
  if (resolves && !isIP(host) && allowed.some((entry) => entry.includes('/'))) return;
  throw hostNotAllowed(host);
}

function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
}

function allowList(): string[] | undefined {
  const text = process.env['NOETL_HTTP_ALLOW'];
  if (text === undefined || text.trim() === '') return undefined;
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
}

/** dns.lookup that refuses names which resolve to an address that may not be reached. */
export const guardedLookup = lookupThat((hostname, addresses) => {
  if (!isAllowed(hostname, addresses)) throw hostNotAllowed(hostname);
});

/** The same for a proxy, which only the worker's owner or an allowed address names. */
export const proxyLookup = lookupThat(() => undefined);

function lookupThat(check: (hostname: string, addresses: readonly string[]) => void): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address: string | LookupAddress[], family) => {
      if (error) return callback(error, address, family);
      try {
        const addresses = typeof address === 'string' ? [address] : address.map((one) => one.address);
        const bad = addresses.find(isDenied);
        if (bad !== undefined) throw addressDenied(hostname, bad);
        check(hostname, addresses);
      } catch (refused) {
        return callback(refused as Error, address, family);
      }
      return callback(null, address, family);
    });
  };
}

/** A name that only an allowed network can vouch for must resolve into it, with each of its addresses. */
function isAllowed(hostname: string, addresses: readonly string[]): boolean {
  const allowed = allowList();
  if (!allowed) return true;
  const host = bareHost(hostname);
  const byName = allowed.some(
    (entry) => !entry.includes('/') && matchesHost(entry.replace(/:\d+$/, ''), host, ''),
  );
  return (
    byName || addresses.every((one) => allowed.some((entry) => entry.includes('/') && inNetwork(entry, one)))
  );
}
