/** Everything that runs: servers, facades, workers, projection, and a proxy on each connection between them. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { freePort } from '../../src/temporal/client';
import { CLI } from '../support/process';
import { type Proxy, startProxy } from '../support/proxy';
import { type PgProxy, startPgProxy } from '../support/pg-proxy';
import { Member, type MemberOptions, type Role } from './member';
import { isRunning, processes, processOf } from './process-tree';
import { type ResultsDisk } from './results-disk';
import { type Servers } from './servers';

/** Each process of workers, and what it serves. */
const WORKERS: Readonly<Record<string, readonly string[]>> = {
  'flow-1': ['--workflows', '--kinds', 'http'],
  'flow-2': ['--workflows', '--kinds', 'http,local'],
  'code-1': ['--kinds', 'python,postgres'],
  'code-2': ['--kinds', 'python,postgres,local'],
};
const FACADES = ['facade-1', 'facade-2'];

export class Fleet {
  readonly members: Member[];
  readonly facades: string[] = [];
  private readonly proxies: Proxy[] = [];
  private readonly began = Date.now();
  private readonly key = randomBytes(32).toString('base64');
  private watch?: NodeJS.Timeout;

  constructor(
    private readonly folder: string,
    readonly servers: Servers,
    readonly disk: ResultsDisk,
    /** The command line that a member runs. */
    private readonly cliOf: (name: string) => string = () => CLI,
  ) {
    this.members = [...servers.members];
  }

  async start(): Promise<void> {
    this.watch = setInterval(() => this.look(), 1000);
    const serving: string[] = [];
    for (const name of FACADES) serving.push(await this.facade(name));
    await Promise.all([
      this.projection(),
      ...Object.entries(WORKERS).map(([name, args], index) =>
        this.worker(name, args, Number(new URL(serving[index % serving.length]!).port)),
      ),
    ]);
  }

  /** Ends everything in good order, and says what is still alive of all that ever ran below it. */
  async stop(): Promise<string[]> {
    clearInterval(this.watch);
    this.look();
    const ours = this.members.filter((member) => !this.servers.members.includes(member));
    await Promise.all(ours.map((member) => member.stop()));
    for (const member of [...this.servers.members].reverse()) await member.stop();
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
    const left = this.members.flatMap((member) =>
      [...member.offspring.values()].filter(
        ({ pid, started }) => isRunning(pid) && processOf(pid)?.started === started,
      ),
    );
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    return left.map(({ name, pid }) => `${name} (${pid})`);
  }

  private look(): void {
    const at = Math.round((Date.now() - this.began) / 1000);
    const all = processes();
    for (const member of this.members) member.look(at, all);
  }

  private async facade(name: string): Promise<string> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await this.add(name, 'facade', {
      args: ['serve', '--no-auth', '--rate-limit', '0', '--port', String(port)],
      links: await this.links('temporal', 'postgres'),
      ready: () => answers(`${url}/api/health/ready`),
      metrics: `${url}/metrics`,
    });
    this.facades.push(url);
    return url;
  }

  private async worker(name: string, args: readonly string[], facadePort: number): Promise<void> {
    const port = await freePort();
    const facade = await this.proxy({ host: '127.0.0.1', port: facadePort });
    const links = { ...(await this.links('temporal', 'postgres')), facade };
    await this.add(name, 'worker', {
      args: [
        'worker',
        ...args,
        '--health-port',
        String(port),
        '--health-host',
        '127.0.0.1',
        '--grace',
        '10s',
      ],
      env: { NOETL_FACADE_URL: `http://127.0.0.1:${facade.port}`, NOETL_SANDBOX: 'none' },
      links,
      ready: () => answers(`http://127.0.0.1:${port}/health/ready`),
      metrics: `http://127.0.0.1:${port}/metrics`,
    });
  }

  private async projection(): Promise<void> {
    const port = await freePort();
    await this.add('projection', 'projection', {
      args: ['project', '--health-port', String(port), '--health-host', '127.0.0.1'],
      links: await this.links('temporal', 'postgres'),
      ready: () => answers(`http://127.0.0.1:${port}/health/ready`),
      metrics: `http://127.0.0.1:${port}/metrics`,
    });
  }

  private async add(
    name: string,
    role: Role,
    options: Pick<MemberOptions, 'args' | 'ready' | 'env' | 'metrics'> & { links: Record<string, Proxy> },
  ): Promise<void> {
    const { links } = options;
    const database = new URL(this.servers.postgres);
    if (links['postgres']) database.port = String(links['postgres'].port);
    const env = {
      ...cleanEnvironment(),
      TEMPORAL_ADDRESS: `127.0.0.1:${links['temporal']!.port}`,
      NOETL_STORAGE: `file://${this.disk.folder}`,
      NOETL_SECRETS_KEY: this.key,
      NOETL_LOG_LEVEL: 'warn',
      NO_COLOR: '1',
      ...(role === 'worker' ? { NOETL_CREDENTIAL_CHAOS: database.href } : { DATABASE_URL: database.href }),
      ...options.env,
    };
    const member = new Member(
      { ...options, name, role, command: process.execPath, args: [this.cliOf(name), ...options.args], env },
      path.join(this.folder, `${name}.log`),
    );
    this.members.push(member);
    await member.start();
  }

  private async links(...to: ('temporal' | 'postgres')[]): Promise<Record<string, Proxy>> {
    const { temporal, postgres } = this.servers;
    const links: Record<string, Proxy> = {};
    for (const name of to)
      links[name] = await this.proxy(
        name === 'temporal' ? temporal : { host: postgres.hostname, port: Number(postgres.port) },
        name === 'postgres',
      );
    return links;
  }

  private async proxy(target: { host: string; port: number }, isPostgres = false): Promise<Proxy | PgProxy> {
    const proxy = await (isPostgres ? startPgProxy(target) : startProxy(target));
    this.proxies.push(proxy);
    return proxy;
  }
}

/** Nothing of whoever runs chaos: their servers and keys are not ours. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TEMPORAL|NOETL|DATABASE|PG)/.test(name)),
  );
}

async function answers(url: string): Promise<boolean> {
  return (await fetch(url, { signal: AbortSignal.timeout(5000) })).ok;
}
