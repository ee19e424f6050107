/**
 * The network of `standard` tasks: a namespace of this worker, connected by slirp4netns, in which nftables refuses what
 * they must not reach. Routes would not do: code can bind a socket to the interface, which passes by them.
 *
 * Tasks enter it by way of a user namespace that they cannot change, so they have no power over the rules.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { type Readable } from 'node:stream';
import { invalidInput } from '../tool/outcome';
import { type Isolation } from './level';
import { deniedBy, ownAddresses, resolved, RESOLVER, networkRules } from './network-rules';
import { ownFile } from './own-files';
import { OUTSIDE, programOf, SHELL } from './programs';

/** After this, names are resolved again: services move. */
const RULES_MAX_AGE_MS = 60_000;
const START_LIMIT_MS = 10_000;

export interface Network {
  /** The start of a command line that runs in it. */
  readonly enter: readonly string[];
  /** The resolv.conf of those who are in it. */
  readonly resolver: string;
}

/**
 * Whether `standard` tasks have a filtered network, or that of the worker: `NOETL_SANDBOX_NETWORK`, default `filtered`.
 *
 * @throws ToolError `SANDBOX_SETTING`
 */
export function networkPolicy(env: NodeJS.ProcessEnv = process.env): 'filtered' | 'worker' {
  const written = env['NOETL_SANDBOX_NETWORK']?.trim() || 'filtered';
  if (written === 'filtered' || written === 'worker') return written;
  throw invalidInput(
    `NOETL_SANDBOX_NETWORK of the worker must be filtered or worker, not '${written}'`,
    'SANDBOX_SETTING',
  );
}

let own: Promise<FilteredNetwork> | undefined;

/**
 * The network that a task of this level enters; undefined if it has none (`strict`) or that of the worker.
 *
 * @throws Error that says why it cannot be made here, ToolError `SANDBOX_SETTING`
 */
export async function networkOf(
  level: Isolation,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Network | undefined> {
  if (level === 'strict' || networkPolicy(env) === 'worker') return undefined;
  own ??= FilteredNetwork.make().catch((error: unknown) => {
    own = undefined;
    throw error;
  });
  const network = await own;
  await network.ready(env);
  return network;
}

class FilteredNetwork implements Network {
  readonly resolver = ownFile('resolv.conf', resolvConf());
  readonly enter: readonly string[];
  private slirp: ChildProcess | undefined;
  private readying: Promise<void> | undefined;
  private appliedAt = -Infinity;
  private applied = '';

  /** @param user and @param net descriptors of this process: the namespaces live as long as it does */
  private constructor(user: number, net: number) {
    const path = (fd: number): string => `/proc/${process.pid}/fd/${fd}`;
    this.enter = [
      programOf('nsenter'),
      '--preserve-credentials',
      `--user=${path(user)}`,
      `--net=${path(net)}`,
      '--',
    ];
    this.paths = [`--userns-path=${path(user)}`, path(net)];
  }
  private readonly paths: readonly string[];

  static async make(): Promise<FilteredNetwork> {
    const maker = start(
      programOf('unshare'),
      ['--user', '--map-root-user', '--net', SHELL, '-c', 'echo made; exec cat'],
      1,
    );
    try {
      await saysSomething(maker, 1, 'unshare cannot make a network here');
      const open = (name: string): number => fs.openSync(`/proc/${maker.pid}/ns/${name}`, 'r');
      return new FilteredNetwork(open('user'), open('net'));
    } finally {
      maker.kill('SIGKILL');
    }
  }

  /** Rules first, then the connection: at no moment is there one without the other. */
  ready(env: NodeJS.ProcessEnv): Promise<void> {
    if (this.slirp && performance.now() - this.appliedAt < RULES_MAX_AGE_MS) return Promise.resolve();
    this.readying ??= this.refresh(env).finally(() => (this.readying = undefined));
    return this.readying;
  }

  private async refresh(env: NodeJS.ProcessEnv): Promise<void> {
    const rules = networkRules([...ownAddresses(), ...(await resolved(deniedBy(env)))]);
    if (rules !== this.applied) await this.apply(rules);
    this.applied = rules;
    this.appliedAt = performance.now();
    if (!this.slirp) await this.connect();
  }

  private apply(rules: string): Promise<void> {
    const [program = '', ...args] = this.enter;
    const limits = { env: OUTSIDE, timeout: START_LIMIT_MS };
    return new Promise((resolve, reject) => {
      const nft = execFile(program, [...args, programOf('nft'), '-f', '-'], limits, (error, _out, stderr) => {
        if (error) reject(new Error(`nft cannot filter a network here (${reason(stderr, error)})`));
        else resolve();
      });
      nft.stdin?.on('error', () => undefined);
      nft.stdin?.end(rules);
    });
  }

  private async connect(): Promise<void> {
    assertTun();
    const options = ['--configure', '--mtu=65520', '--disable-host-loopback'];
    // It gives up the rights of root, and sees no files; another user has none to give up, and may not do it.
    if (process.getuid?.() === 0) options.push('--enable-sandbox');
    const slirp = start(
      programOf('slirp4netns'),
      [...options, '--ready-fd=3', '--exit-fd=4', '--netns-type=path', ...this.paths, 'tap0'],
      3,
    );
    slirp.once('exit', () => {
      if (this.slirp === slirp) this.slirp = undefined;
    });
    await saysSomething(slirp, 3, 'slirp4netns cannot connect a network here');
    this.slirp = slirp;
  }
}

/** slirp4netns says of it only that its child failed. In containers the device keeps the owner and rights of the machine. */
function assertTun(device = '/dev/net/tun'): void {
  try {
    fs.closeSync(fs.openSync(device, 'r+'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const how =
      code === 'ENOENT'
        ? 'does not exist (`modprobe tun`; `--device /dev/net/tun` in Docker)'
        : `cannot be opened by this user (${code}; on the machine, \`chmod 0666 ${device}\`)`;
    throw new Error(`${device} ${how}`, { cause: error });
  }
}

/** A process that ends with this one, by the end of its descriptors 0 and 4, and does not keep this one alive. */
function start(program: string, args: readonly string[], speaks: 1 | 3): ChildProcess {
  const child = spawn(program, args, {
    env: OUTSIDE,
    stdio: ['pipe', speaks === 1 ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  child.on('error', () => undefined);
  return child;
}

/** Waits until the process writes to a descriptor. @throws Error with what it said instead */
async function saysSomething(child: ChildProcess, descriptor: 1 | 3, otherwise: string): Promise<void> {
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString()}`.slice(-2000)));
  const ready = once(child.stdio[descriptor] as Readable, 'data');
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${otherwise} (${reason(stderr)})`)));
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  try {
    await Promise.race([ready, ended]);
  } finally {
    clearTimeout(timer);
    ready.catch(() => undefined);
    ended.catch(() => undefined);
    child.unref();
    for (const stream of child.stdio) (stream as { unref?(): void } | null)?.unref?.();
  }
}

function reason(stderr: string, error?: Error): string {
  return stderr.trim().split('\n').at(-1) || (error?.message ?? 'it printed nothing');
}

/** The worker's search domains and options, with the resolver of this network. */
function resolvConf(): string {
  let lines: string[] = [];
  try {
    lines = fs.readFileSync('/etc/resolv.conf', 'utf8').split('\n');
  } catch {
    // Without one, names are asked of the resolver as they are.
  }
  const kept = lines.filter((line) => /^\s*(search|domain|options)\s/.test(line));
  return [`nameserver ${RESOLVER}`, ...kept, ''].join('\n');
}
