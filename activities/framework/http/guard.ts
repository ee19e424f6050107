/**
 * Addresses that a playbook's requests must not reach: those of clouds' metadata (metadata.ts), and with
 * `NOETL_HTTP_ALLOW` on the worker, a list of hosts and networks, everything else. Checked for every URL (including
 * redirects) and again when connecting, so that no DNS answer can bypass it.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { CodedError } from '../../../src/language/errors';
import { addressDenied, bareHost, isDenied, refuseMetadata } from './metadata';
import { inNetwork, matchesHost } from './proxy';

export { isDenied } from './metadata';

function hostNotAllowed(host: string): CodedError {
  return new CodedError(
    'HOST_NOT_ALLOWED',
    `the host ${host} is not one that this worker may reach (NOETL_HTTP_ALLOW)`,
  );
}

/**
 * @param resolves whether this process resolves the name, rather than a proxy
 * @throws CodedError `ADDRESS_DENIED`, `HOST_NOT_ALLOWED` for what the URL already shows; names are checked again by `guardedLookup`
 */
export function checkUrl(url: URL, resolves: boolean): void {
  const host = bareHost(url.hostname);
  refuseMetadata(host);
  const allowed = allowList();
  if (!allowed) return;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (allowed.some((entry) => matchesHost(entry, host, port))) return;
  // The address may still be in an allowed network.
  if (resolves && !isIP(host) && allowed.some((entry) => entry.includes('/'))) return;
  throw hostNotAllowed(host);
}

function allowList(): string[] | undefined {
  const text = process.env['NOETL_HTTP_ALLOW'];
  if (text === undefined || text.trim() === '') return undefined;
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
}

/** dns.lookup that rejects names resolving to a forbidden address. */
export const guardedLookup = lookupThat((hostname, addresses) => {
  if (!isAllowed(hostname, addresses)) throw hostNotAllowed(hostname);
});

/** The same for a proxy, which only the worker's operator or an allowed address can name. */
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

/** A name that is allowed only through a network must resolve into it with all its addresses. */
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
