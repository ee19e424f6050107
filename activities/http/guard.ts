/**
 * Addresses a playbook's request never reaches by default: link-local ones, behind which clouds keep the machine's own
 * credentials. Checked at the moment of connecting, so that neither a redirect nor a DNS answer leads there.
 * `NOETL_HTTP_ALLOW_LINK_LOCAL=1` on the worker lifts it.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const denied = new BlockList();
denied.addSubnet('169.254.0.0', 16, 'ipv4'); // 169.254.169.254, 169.254.170.2: AWS, GCP, Azure, ECS, …
denied.addAddress('100.100.100.200', 'ipv4'); // Alibaba
denied.addSubnet('fe80::', 10, 'ipv6');
denied.addAddress('fd00:ec2::254', 'ipv6'); // AWS
denied.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6'); // 169.254/16 behind NAT64

export class AddressDenied extends Error {
  readonly code = 'ADDRESS_DENIED';

  constructor(host: string, address: string) {
    super(
      `${host === address ? host : `${host} (${address})`} is a link-local address, where clouds keep credentials`,
    );
    this.name = 'AddressDenied';
  }
}

export function isDenied(address: string): boolean {
  if (process.env['NOETL_HTTP_ALLOW_LINK_LOCAL'] === '1') return false;
  const version = isIP(address);
  // BlockList checks IPv4-mapped IPv6 addresses (::ffff:169.254.…) against the IPv4 rules by itself.
  return version !== 0 && denied.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/** @throws AddressDenied when the host is such an address itself; names are checked by `guardedLookup` */
export function checkHost(hostname: string): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isDenied(bare)) throw new AddressDenied(bare, bare);
}

/** dns.lookup that refuses names which resolve to a denied address. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, address: string | LookupAddress[], family) => {
    if (error) return callback(error, address, family);
    const addresses = typeof address === 'string' ? [address] : address.map((one) => one.address);
    const bad = addresses.find(isDenied);
    if (bad !== undefined) return callback(new AddressDenied(hostname, bad), address, family);
    return callback(null, address, family);
  });
};
