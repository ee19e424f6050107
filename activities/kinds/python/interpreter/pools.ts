/** Warm interpreters by environment: the worker's own, and a pool for each set of requirements in use. */
import { VirtualEnvironments } from '../requirements';
import { type Print } from '../../../framework/tool/tool';
import { type Ended } from './interpreter';
import { type Isolation } from '../../../framework/sandbox';
import { InterpreterPool } from './pool';

/** Environments kept warm; the least recently used one is closed. */
const MAX_WARM = 4;

/** Where a task runs. */
export interface Where {
  readonly requirements: readonly string[];
  /** Absent: without a sandbox. */
  readonly level?: Isolation;
}

export class InterpreterPools {
  private readonly environments: VirtualEnvironments;
  /** Without requirements, by level. */
  private readonly own = new Map<Isolation | undefined, InterpreterPool>();
  private readonly pools = new Map<string, { pool: InterpreterPool; running: number }>();

  constructor(private readonly env: NodeJS.ProcessEnv = process.env) {
    this.environments = new VirtualEnvironments(env);
  }

  /**
   * Runs a task where its requirements are installed.
   *
   * @throws ToolError; the signal's reason if it was aborted while the environment was being created
   */
  async run(
    task: Buffer,
    { requirements, level }: Where,
    signal: AbortSignal,
    print?: Print,
  ): Promise<Ended> {
    if (requirements.length === 0) return this.plain(level).run(task, signal, print);
    const venv = await orAborted(this.environments.folderOf(requirements, level), signal);
    const key = `${level ?? 'none'} ${venv}`;
    const entry = this.pools.get(key) ?? {
      pool: new InterpreterPool({ ...this.env, PYTHONPATH: '' }, level, venv),
      running: 0,
    };
    this.pools.delete(key);
    this.pools.set(key, entry);
    this.trim();
    entry.running++;
    try {
      return await entry.pool.run(task, signal, print);
    } finally {
      entry.running--;
    }
  }

  async close(): Promise<void> {
    this.environments.close();
    const all = [...this.pools.values()].map((one) => one.pool);
    this.pools.clear();
    await Promise.all([...this.own.values(), ...all].map((pool) => pool.close()));
  }

  private plain(level: Isolation | undefined): InterpreterPool {
    const pool = this.own.get(level) ?? new InterpreterPool(this.env, level);
    this.own.set(level, pool);
    return pool;
  }

  private trim(): void {
    for (const [interpreter, { pool, running }] of this.pools) {
      if (this.pools.size <= MAX_WARM) return;
      if (running > 0) continue;
      this.pools.delete(interpreter);
      void pool.close();
    }
  }
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
