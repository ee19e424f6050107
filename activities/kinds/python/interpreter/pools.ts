/** Warm interpreters by environment: the worker's own, and a pool for each set of requirements in use. */
import { VirtualEnvironments } from '../requirements';
import { type Print } from '../../../framework/tool/tool';
import { type Ended } from './interpreter';
import { InterpreterPool } from './pool';

/** Environments kept warm; the least recently used one is closed. */
const MAX_WARM = 4;

export class InterpreterPools {
  private readonly environments: VirtualEnvironments;
  private readonly own: InterpreterPool;
  private readonly pools = new Map<string, { pool: InterpreterPool; running: number }>();

  constructor(private readonly env: NodeJS.ProcessEnv = process.env) {
    this.environments = new VirtualEnvironments(env);
    this.own = new InterpreterPool(env);
  }

  /**
   * Runs a task where its requirements are installed.
   *
   * @throws ToolError; the signal's reason if it was aborted while the environment was being created
   */
  async run(
    task: Buffer,
    requirements: readonly string[],
    signal: AbortSignal,
    print?: Print,
  ): Promise<Ended> {
    if (requirements.length === 0) return this.own.run(task, signal, print);
    const interpreter = await orAborted(this.environments.interpreterFor(requirements), signal);
    const entry = this.pools.get(interpreter) ?? {
      pool: new InterpreterPool({ ...this.env, NOETL_PYTHON: interpreter, PYTHONPATH: '' }),
      running: 0,
    };
    this.pools.delete(interpreter);
    this.pools.set(interpreter, entry);
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
    await Promise.all([this.own, ...all].map((pool) => pool.close()));
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
