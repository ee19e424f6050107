/** What `standard` tasks must not reach: rules of nftables for the network that they have. */
import dns from 'node:dns/promises';
import net from 'node:net';
import os from 'node:os';
import { METADATA_IPV4 } from '../http/metadata';
import { invalidInput } from '../tool/outcome';

/** The resolver that slirp4netns has in its network. */
export const RESOLVER = '10.0.2.3';

/** Not the network but this machine, or what only machines ask: metadata of clouds, neighbours, groups. */
const NEVER = [
  '0.0.0.0/8',
  // The other side of slirp4netns, which could stand for the loopback of the worker.
  '10.0.2.0/24',
  '127.0.0.0/8',
  ...METADATA_IPV4,
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Settings of the worker that name what it talks to. */
const SERVICES = [
  'TEMPORAL_ADDRESS',
  'DATABASE_URL',
  'NOETL_FACADE_URL',
  'NOETL_STORAGE',
  'VAULT_ADDR',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
];
const PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
};

/** A host or a range of addresses, and a port unless all of them. */
export interface Denied {
  readonly host: string;
  readonly port?: number;
}

/**
 * What the worker's settings name: its services, and `NOETL_SANDBOX_DENY` (hosts, `host:port`, ranges `10.1.0.0/16`,
 * separated by commas).
 *
 * @throws ToolError `SANDBOX_SETTING` for an entry that is none of these
 */
export function deniedBy(env: NodeJS.ProcessEnv): Denied[] {
  const own = SERVICES.flatMap((name) => (env[name] ?? '').split(',')).flatMap((text) =>
    services(text.trim()),
  );
  const named = (env['NOETL_SANDBOX_DENY'] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return [...own, ...named.map(entry)];
}

function services(text: string): Denied[] {
  if (text === '' || text === 'none') return [];
  if (/^[\w.-]+:\d+$/.test(text)) return [entry(text)];
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  const endpoint = url.searchParams.get('endpoint');
  if (endpoint) return services(endpoint);
  const port = Number(url.port) || PORTS[url.protocol];
  return url.hostname && port !== undefined ? [{ host: url.hostname, port }] : [];
}

function entry(text: string): Denied {
  const [, host = '', mask, port] = /^([\w.-]+)(\/\d{1,2})?(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isRange = mask !== undefined && net.isIPv4(host) && Number(mask.slice(1)) <= 32;
  if (host === '' || (mask !== undefined && !isRange) || Number(port ?? 1) > 65_535)
    throw invalidInput(
      `NOETL_SANDBOX_DENY of the worker: '${text}' is not a host, host:port or range of IPv4 addresses (10.1.0.0/16)`,
      'SANDBOX_SETTING',
    );
  return { host: `${host}${mask ?? ''}`, ...(port !== undefined && { port: Number(port) }) };
}

type Lookup = (host: string) => Promise<readonly string[]>;

const lookUp: Lookup = async (host) =>
  (await dns.lookup(host, { all: true, family: 4 })).map(({ address }) => address);

/** Of names, as last resolved. */
const cache = new Map<string, readonly string[]>();

/** The addresses of names as of now; those of before while a resolver does not answer, lest they become reachable. */
export async function resolved(denied: readonly Denied[], ask: Lookup = lookUp): Promise<Denied[]> {
  const addresses = await Promise.all(
    denied.map(async ({ host, ...rest }) => {
      if (/^[\d./]+$/.test(host)) return [{ host, ...rest }];
      const all = await ask(host).catch(() => cache.get(host) ?? []);
      cache.set(host, all);
      return all.map((address) => ({ host: address, ...rest }));
    }),
  );
  return addresses.flat();
}

/** Addresses of this machine: what listens on it is the operator's, not the network's. */
export function ownAddresses(): Denied[] {
  const all = Object.values(os.networkInterfaces()).flatMap((list) => list ?? []);
  return all.filter(({ family }) => family === 'IPv4').map(({ address }) => ({ host: address }));
}

/** The ruleset, which replaces the one before it as a whole. @param denied addresses, as of `resolved` */
export function networkRules(denied: readonly Denied[]): string {
  const whole = new Set([
    ...NEVER,
    ...denied.filter(({ port }) => port === undefined).map(({ host }) => host),
  ]);
  const ports = denied.filter(({ port }) => port !== undefined);
  return `table inet noetl
delete table inet noetl
table inet noetl {
  chain output {
    type filter hook output priority 0; policy accept;
    oifname "lo" icmp type destination-unreachable accept comment "how code learns of a refusal"
    ip daddr ${RESOLVER} meta l4proto { tcp, udp } th dport 53 accept
${[...whole].map((address) => `    ip daddr ${address} reject`).join('\n')}
${ports.map(({ host, port }) => `    ip daddr ${host} meta l4proto { tcp, udp } th dport ${port} reject`).join('\n')}
    oifname "lo" reject
    meta nfproto ipv6 reject
  }
}
`;
}
