/** An installation with tokens, each part a process of its own, on a chosen Node: what bombs are thrown at. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { openDatabase, Tokens } from '../../src/server/store';
import { freePort } from '../../src/temporal/client';
import { Member, type Role } from '../../test/chaos/member';
import { below, processes, processOf } from '../../test/chaos/process-tree';
import { type Servers, startServers } from '../../test/chaos/servers';

const WORKERS: Readonly<Record<string, readonly string[]>> = {
  'flow-1': ['--workflows'],
  'flow-2': ['--workflows'],
  'code-1': ['--kinds', 'python,shell,local'],
  'code-2': ['--kinds', 'python,shell,local'],
};
const LOOK_MS = 500;

export interface Installation {
  readonly url: string;
  readonly client: Client;
  readonly members: readonly Member[];
  readonly folder: string;
  /** @param scopes default: `run` */
  token(name: string, scopes?: readonly string[]): Promise<string>;
  /** Seconds of processor time that all processes took, those below them included. */
  processorSeconds(): number;
  /** The same, by process. */
  processorSecondsBy(): Readonly<Record<string, number>>;
  /** Processes that ended although nobody asked them to: their names. */
  ended(): readonly string[];
  stop(): Promise<void>;
}

export async function startInstallation(node: string): Promise<Installation> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bombs-'));
  fs.chmodSync(folder, 0o755); // as root, Postgres runs as its own user
  const servers = await startServers({ folder, clusterPort: 0 });
  const members = [...servers.members];
  const clock = new ProcessorClock(members);
  const database = await openDatabase(servers.postgres.href);
  const tokens = new Tokens(database);
  let connection: Connection | undefined;
  const timer = setInterval(() => {
    const all = processes();
    for (const member of members) member.look(0, all);
    clock.look(all);
  }, LOOK_MS);
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await connection?.close();
    await database.close();
    for (const member of [...members].reverse()) await member.stop();
  };
  const url = `http://127.0.0.1:${await freePort()}`;
  try {
    const start = starter({ folder, node, servers, members });
    const [worker] = await tokens.create({ name: 'workers', scopes: ['worker', 'read'] });
    await start('facade', 'facade', ['serve', '--port', new URL(url).port], url);
    const of = { NOETL_FACADE_URL: url, NOETL_TOKEN: worker, NOETL_SANDBOX: 'none' };
    await Promise.all([
      start('projection', 'projection', ['project']),
      ...Object.entries(WORKERS).map(([name, args]) =>
        start(name, 'worker', ['worker', ...args], undefined, of),
      ),
    ]);
    connection = await Connection.connect({ address: `${servers.temporal.host}:${servers.temporal.port}` });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ url, client: new Client({ connection }), members, folder, stop },
    token: async (name, scopes = ['run']) => (await tokens.create({ name, scopes: [...scopes] }))[0],
    processorSeconds: () => Object.values(clock.seconds()).reduce((sum, one) => sum + one, 0),
    processorSecondsBy: () => clock.seconds(),
    ended: () =>
      members.flatMap(({ name, ownEnds }) => ownEnds.map((end) => `${name}: ${end.slice(0, 300)}`)),
  };
}

function starter({
  folder,
  node,
  servers,
  members,
}: {
  folder: string;
  node: string;
  servers: Servers;
  members: Member[];
}) {
  const key = randomBytes(32).toString('base64');
  const main = path.join(__dirname, '..', '..', 'src', 'cli', 'main.js');
  const clean = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL|NOETL|DATABASE|PG)/.test(name));
  return async (
    name: string,
    role: Role,
    args: readonly string[],
    at?: string,
    more: NodeJS.ProcessEnv = {},
  ): Promise<void> => {
    const url = at ?? `http://127.0.0.1:${await freePort()}`;
    const health = at ? [] : ['--health-port', new URL(url).port, '--health-host', '127.0.0.1'];
    const env = {
      ...Object.fromEntries(clean),
      TEMPORAL_ADDRESS: `${servers.temporal.host}:${servers.temporal.port}`,
      NOETL_STORAGE: `file://${path.join(folder, 'blobs')}`,
      NOETL_SECRETS_KEY: key,
      NOETL_LOG_LEVEL: 'warn',
      NO_COLOR: '1',
      ...(role !== 'worker' && { DATABASE_URL: servers.postgres.href }),
      ...more,
    };
    const ready = async (): Promise<boolean> =>
      (await fetch(`${url}${at ? '/api' : ''}/health/ready`, { signal: AbortSignal.timeout(5_000) })).ok;
    const member = new Member(
      { name, role, command: node, args: [main, ...args, ...health], env, ready },
      path.join(folder, `${name}.log`),
    );
    members.push(member);
    await member.start();
  };
}

/** Adds up what processes took, also those that have been started again since. */
class ProcessorClock {
  private readonly taken = new Map<string, { pid: number; before: number; ticks: number }>();

  constructor(private readonly members: readonly Member[]) {}

  look(all = processes()): void {
    for (const { name, pid } of this.members) {
      const ticks = [processOf(pid), ...below(pid, all)].reduce((sum, one) => sum + (one?.ticks ?? 0), 0);
      const last = this.taken.get(name) ?? { pid, before: 0, ticks: 0 };
      const before = last.pid === pid ? last.before : last.before + last.ticks;
      this.taken.set(name, { pid, before, ticks: last.pid === pid ? Math.max(last.ticks, ticks) : ticks });
    }
  }

  seconds(): Record<string, number> {
    this.look();
    return Object.fromEntries(
      [...this.taken].map(([name, { before, ticks }]) => [name, (before + ticks) / 100]),
    );
  }
}
