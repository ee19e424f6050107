/** Connection pools of the http kind: one undici agent per set of connection options, shared by all tasks. */
import { Agent } from 'undici';
import { guardedLookup } from './guard';

export interface ConnectionOptions {
  readonly verifySsl: boolean;
  readonly connectTimeoutMs: number;
}

const agents = new Map<string, Agent>();

export function agentFor({ verifySsl, connectTimeoutMs }: ConnectionOptions): Agent {
  const key = `${verifySsl} ${connectTimeoutMs}`;
  let agent = agents.get(key);
  if (!agent) {
    agent = new Agent({
      connect: { timeout: connectTimeoutMs, rejectUnauthorized: verifySsl, lookup: guardedLookup },
      // A server's `Keep-Alive: timeout` may shorten this; undici keeps a second of distance to it.
      keepAliveTimeout: 10_000,
      maxRedirections: 0,
    } as Agent.Options);
    agents.set(key, agent);
  }
  return agent;
}

export async function closeAgents(): Promise<void> {
  const all = [...agents.values()];
  agents.clear();
  await Promise.all(all.map((agent) => agent.destroy()));
}
