/** Connection pools of the http kind: one undici agent per set of connection options, shared by all tasks. */
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { guardedLookup, proxyLookup } from './guard';
import { type HttpTlsOptions } from './tls';

export interface ConnectionOptions {
  readonly verifySsl: boolean;
  readonly connectTimeoutMs: number;
  readonly tls?: HttpTlsOptions | undefined;
  /** Proxy URL; user and password in it are sent to the proxy. */
  readonly proxy?: string | undefined;
}

/** Beyond this number, the least recently used pools are closed. */
const MAX_AGENTS = 64;

const agents = new Map<string, Dispatcher>();

export function agentFor({ verifySsl, connectTimeoutMs, tls, proxy }: ConnectionOptions): Dispatcher {
  const key = JSON.stringify([verifySsl, connectTimeoutMs, tls, proxy]);
  const existing = agents.get(key);
  const agent =
    existing ?? create({ ...tls, rejectUnauthorized: verifySsl, timeout: connectTimeoutMs }, proxy);
  agents.delete(key);
  agents.set(key, agent);
  if (agents.size > MAX_AGENTS) {
    const [oldest, unused] = agents.entries().next().value!;
    agents.delete(oldest);
    // Its running requests finish first.
    void unused.close().catch(() => undefined);
  }
  return agent;
}

interface Connect extends HttpTlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly timeout: number;
}

function create(connect: Connect, proxy: string | undefined): Dispatcher {
  const { timeout } = connect;
  // Below the usual keep-alive of servers that do not announce it (gunicorn: 2 s); if a server sends `Keep-Alive:
  // timeout`, one second less than that.
  const keepAliveTimeout = 1_500;
  if (proxy === undefined)
    return new Agent({ connect: { ...connect, lookup: guardedLookup }, keepAliveTimeout });
  return new ProxyAgent({
    uri: proxy,
    requestTls: connect,
    proxyTls: { timeout, lookup: proxyLookup } as ProxyAgent.Options['proxyTls'] & object,
    // Plain http is forwarded, as other clients do; only https needs a tunnel.
    proxyTunnel: false,
    keepAliveTimeout,
  });
}

export async function closeAgents(): Promise<void> {
  const all = [...agents.values()];
  agents.clear();
  await Promise.all(all.map((agent) => agent.destroy()));
}
