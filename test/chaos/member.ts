/** One process of the fleet: started, killed, stopped and started again, its log and memory kept. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { type Proxy } from '../support/proxy';
import { until } from '../support/until';
import { below, isRunning, processes, processOf, type Seen } from './process-tree';

export type Role = 'temporal' | 'postgres' | 'facade' | 'projection' | 'worker';

export interface MemberOptions {
  readonly name: string;
  readonly role: Role;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd?: string;
  /** Whether it does its work. */
  readonly ready: () => Promise<boolean>;
  /** Where it tells its metrics. */
  readonly metrics?: string;
  /** Its connections to others, by their names. */
  readonly links?: Readonly<Record<string, Proxy>>;
  /** Ends it in good order. */
  readonly stopSignal?: NodeJS.Signals;
  /** The process that somebody else has started for it. */
  readonly adopted?: () => number;
}

/** Seconds since the start of the program, and MiB. */
export interface MemoryPoint {
  readonly at: number;
  readonly mib: number;
}

const READY_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 40_000;
const GONE_LIMIT_MS = 20_000;

/** Whatever ends the program, nothing that it started stays. */
const started = new Set<number>();
process.once('exit', () => started.forEach(killIfThere));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

export class Member {
  readonly memory: MemoryPoint[] = [];
  /** Ends that nobody asked for. */
  readonly ownEnds: string[] = [];
  /** Everything that was seen below it: whatever of that outlives the fleet is an orphan. */
  readonly offspring = new Map<number, Seen>();
  pid = 0;
  private expected = true;

  constructor(
    readonly options: MemberOptions,
    private readonly logFile: string,
  ) {}

  get name(): string {
    return this.options.name;
  }

  get log(): string {
    return fs.existsSync(this.logFile) ? fs.readFileSync(this.logFile, 'utf8') : '';
  }

  async start(): Promise<void> {
    const { adopted } = this.options;
    if (adopted && this.pid === 0) {
      this.pid = adopted();
      started.add(this.pid);
      this.expected = false;
    } else this.launch();
    await this.whenReady();
  }

  /** Waits until it does its work. Started again if it gives up meanwhile, as by an orchestrator. */
  async whenReady(): Promise<void> {
    await until(async () => {
      this.reviveIfGone();
      return await this.options.ready().catch(() => false);
    }, READY_LIMIT_MS).catch((error: unknown) => {
      throw new Error(`${this.name} is not ready: ${this.lastLines()}`, { cause: error });
    });
  }

  async kill(): Promise<void> {
    this.look();
    const family = [...this.offspring.values()];
    this.expected = true;
    this.signal('SIGKILL');
    await until(async () => !isRunning(this.pid), GONE_LIMIT_MS);
    started.delete(this.pid);
    // Postgres starts when the last process of its former life is gone.
    if (this.options.role === 'postgres') await gone(family);
  }

  /** Ends it in good order, and by force when it takes too long. */
  async stop(): Promise<void> {
    if (!isRunning(this.pid)) return;
    this.look();
    this.expected = true;
    this.signal('SIGCONT');
    this.signal(this.options.stopSignal ?? 'SIGTERM');
    await until(async () => !isRunning(this.pid), STOP_LIMIT_MS).catch(() => {
      this.ownEnds.push(
        `did not end within ${STOP_LIMIT_MS / 1000} s of ${this.options.stopSignal ?? 'SIGTERM'}`,
      );
      this.signal('SIGKILL');
    });
    started.delete(this.pid);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.pid === 0) return;
    try {
      process.kill(this.pid, signal);
    } catch {
      // It has just ended by itself: the next look says so.
    }
  }

  /** Notes its memory and its offspring, and starts it again if it ended by itself. */
  look(at?: number, all = processes()): void {
    this.reviveIfGone();
    const own = all.get(this.pid);
    for (const seen of below(this.pid, all)) this.offspring.set(seen.pid, seen);
    if (own && at !== undefined) this.memory.push({ at, mib: Math.round(own.rssMiB) });
  }

  lastLines(count = 5): string {
    return this.log.trimEnd().split('\n').slice(-count).join('\n');
  }

  private launch(): void {
    const { command, args, env, uid, gid, cwd } = this.options;
    const log = fs.openSync(this.logFile, 'a');
    const child = spawn(command, args, { env, uid, gid, cwd, stdio: ['ignore', log, log] });
    fs.closeSync(log);
    child.on('error', (error) => this.ownEnds.push(String(error)));
    const { pid = 0 } = child;
    this.pid = pid;
    if (pid > 0) started.add(pid);
    child.once('exit', () => started.delete(pid));
    this.expected = false;
  }

  private reviveIfGone(): void {
    if (this.expected || this.pid === 0 || isRunning(this.pid)) return;
    this.ownEnds.push(this.lastLines(1));
    this.launch();
  }
}

async function gone(family: readonly Seen[]): Promise<void> {
  await until(
    async () => family.every(({ pid, started }) => processOf(pid)?.started !== started),
    GONE_LIMIT_MS,
  );
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
