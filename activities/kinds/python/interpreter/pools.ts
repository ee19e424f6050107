/** Warm interpreters by environment: the worker's own, and a pool for each set of requirements in use. */
import { VirtualEnvironments } from '../requirements';
import { type Isolation } from '../../../framework/sandbox';
import { unlessStopped } from '../../../framework/tool/unless-stopped';
import { InterpreterPool, type RunPythonTask } from './pool';

/** Environments kept warm; the least recently used one is closed. */
const MAX_WARM = 4;

/** Where a task runs. */
export interface InterpreterPlace {
  readonly requirements: readonly string[];
  /** Absent: without a sandbox. */
  readonly level?: Isolation;
}

/** An interpreter for one task, kept until `release`. */
export interface Ready {
  readonly run: RunPythonTask;
  release(): void;
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
   * Waits until the requirements are installed and an interpreter runs there. Release it in any case.
   *
   * @throws ToolError; an error if the signal was aborted meanwhile
   */
  async ready({ requirements, level }: InterpreterPlace, signal: AbortSignal): Promise<Ready> {
    if (requirements.length === 0)
      return { run: await unlessStopped(this.plain(level).ready(), { signal }), release: () => undefined };
    const venv = await unlessStopped(this.environments.folderOf(requirements, level), { signal });
    const key = `${level ?? 'none'} ${venv}`;
    const entry = this.pools.get(key) ?? {
      pool: new InterpreterPool({ ...this.env, PYTHONPATH: '' }, level, venv),
      running: 0,
    };
    this.pools.delete(key);
    this.pools.set(key, entry);
    this.trim();
    entry.running++;
    const release = (): void => void entry.running--;
    try {
      return { run: await unlessStopped(entry.pool.ready(), { signal }), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async close(): Promise<void> {
    const environments = this.environments.close();
    const all = [...this.pools.values()].map((one) => one.pool);
    this.pools.clear();
    await Promise.all([environments, ...[...this.own.values(), ...all].map((pool) => pool.close())]);
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
