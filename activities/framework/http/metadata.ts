/**
 * Addresses where clouds give a machine its own credentials, in every spelling: one list, for `http` and other tools
 * that connect to what a playbook names, and for the network of sandboxes.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { CodedError, messageOf } from '../../../src/language/errors';
import { invalidInput } from '../tool/outcome';

/** IPv4 addresses and networks, as nftables and `BlockList` read them. */
export const METADATA_IPV4: readonly string[] = [
  // Link-local: AWS, ECS, GCP, Azure, Oracle, Scaleway, Tencent, …
  '169.254.0.0/16',
  // Alibaba.
  '100.100.100.200',
  // Azure's wire server.
  '168.63.129.16',
  // Oracle.
  '192.0.0.192',
];

const METADATA_IPV6: readonly string[] = [
  'fe80::/10',
  // AWS: 254 is the machine's, 23 that of pods (EKS).
  'fd00:ec2::/32',
  // GCP.
  'fd20:ce::/32',
  // Oracle.
  'fd00:c1::/32',
  // Scaleway.
  'fd00:42::42',
];

/** Names that mean one of them, known without DNS: a proxy resolves names itself, out of our sight. */
const METADATA_NAMES: readonly string[] = [
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data.ec2.internal',
];

const denied = new BlockList();
for (const network of [...METADATA_IPV4.flatMap((one) => [one, ...inIpv6(one)]), ...METADATA_IPV6])
  deny(network);

function deny(network: string): void {
  const [base = '', bits] = network.split('/');
  const family = isIP(base) === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) denied.addAddress(base, family);
  else denied.addSubnet(base, Number(bits), family);
}

/**
 * IPv6 addresses that lead to an IPv4 network: NAT64 (RFC 6052, 8215), 6to4, IPv4-compatible and -translated.
 * `BlockList` itself recognises IPv4-mapped ones.
 */
function inIpv6(network: string): string[] {
  const [base = '', bits = '32'] = network.split('/');
  const [a, b, c, d] = base.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const at = (prefix: string, before: number, rest = ''): string =>
    `${prefix}${a}${b}:${c}${d}${rest}/${before + Number(bits)}`;
  return [
    at('64:ff9b::', 96),
    at('64:ff9b:1::', 96),
    // The prefix of 48 bits has eight zeros between the halves of the address.
    `64:ff9b:1:${a}${b}:${c}:${d}00::/${Number(bits) <= 16 ? 48 + Number(bits) : 56 + Number(bits)}`,
    at('2002:', 16, '::'),
    at('::', 96),
    at('::ffff:0:', 96),
  ];
}

/** The operator's permission, for every tool: `NOETL_HTTP_ALLOW_LINK_LOCAL=1` of the worker. */
function isPermitted(): boolean {
  return process.env['NOETL_HTTP_ALLOW_LINK_LOCAL'] === '1';
}

/** @param address IPv4 or IPv6; names are never denied here */
export function isDenied(address: string): boolean {
  // `fe80::1%eth0` names an interface, too.
  const bare = address.split('%')[0]!;
  const version = isIP(bare);
  return version !== 0 && isListed(bare, version === 4 ? 'ipv4' : 'ipv6') && !isPermitted();
}

/** Answers of `denied`, which builds objects for each question: tasks ask for the same few addresses. */
const answers = new Map<string, boolean>();
const MOST_ANSWERS = 1000;

function isListed(address: string, family: 'ipv4' | 'ipv6'): boolean {
  let answer = answers.get(address);
  if (answer === undefined) {
    answer = denied.check(address, family);
    if (answers.size >= MOST_ANSWERS) answers.clear();
    answers.set(address, answer);
  }
  return answer;
}

/** The host of a URL, without brackets and final dots. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$|\.+$/g, '').toLowerCase();
}

/** @throws CodedError `ADDRESS_DENIED` for what the host of a URL already shows */
export function refuseMetadata(hostname: string): void {
  const host = bareHost(hostname);
  if (isDenied(host) || (METADATA_NAMES.includes(host) && !isPermitted())) throw addressDenied(host, host);
}

/**
 * For clients that connect by themselves: checks an endpoint before they do, and what its name resolves to now.
 *
 * @param kind of the task, for the message
 * @param endpoint a URL, or `host:port`; anything else is left to the client
 * @throws ToolError `ADDRESS_DENIED`
 */
export async function checkEndpoint(kind: string, endpoint: unknown): Promise<void> {
  if (typeof endpoint !== 'string') return;
  const url = URL.parse(endpoint.includes('://') ? endpoint : `http://${endpoint}`);
  if (!url) return;
  const host = bareHost(url.hostname);
  try {
    refuseMetadata(host);
    // A name that does not resolve fails in the client, with the client's own error.
    const addresses = await lookup(host, { all: true }).catch(() => []);
    const bad = addresses.find(({ address }) => isDenied(address));
    if (bad) throw addressDenied(host, bad.address);
  } catch (error) {
    throw invalidInput(`${kind}: ${messageOf(error)}`, 'ADDRESS_DENIED');
  }
}

/** @param address what the host resolves to */
export function addressDenied(host: string, address: string): CodedError {
  const shown = host === address ? host : `${host} (${address})`;
  return new CodedError(
    'ADDRESS_DENIED',
    `${shown} is an address where clouds serve credentials; NOETL_HTTP_ALLOW_LINK_LOCAL=1 of the worker allows it`,
  );
}
