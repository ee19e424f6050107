/** The warm interpreters of a worker: started on demand, replaced when they die. */
import path from 'node:path';
import { processors, TASKS_PER_PROCESSOR } from '../../../framework/process/slots';
import { ToolError } from '../../../framework/tool/outcome';
import { pythonCandidates, pythonEnvironment } from './find';
import { type Print } from '../../../framework/tool/tool';
import { type Ended, WARM, WarmInterpreter } from './interpreter';
import { installationOf, sandboxedInterpreter } from './sandbox';
import { type Isolation, networkOf } from '../../../framework/sandbox';

/** Tasks per interpreter before another is started, up to the number of processors. */
const COMFORTABLE_LOAD = TASKS_PER_PROCESSOR;
const MAX_INTERPRETERS = processors();

/** Runs one task to its end, passing its output to `print`; an abort stops it. */
export type RunPythonTask = (task: Buffer, signal: AbortSignal, print?: Print) => Promise<Ended>;

export class InterpreterPool {
  private interpreters: WarmInterpreter[] = [];
  private starting?: Promise<WarmInterpreter>;

  /** @param venv the folder of the environment of its interpreters; default: the worker's own Python */
  constructor(
    private readonly env: NodeJS.ProcessEnv = process.env,
    private readonly level?: Isolation,
    private readonly venv?: string,
  ) {}

  /** Waits until an interpreter runs. @returns a function that runs one task @throws ToolError `PYTHON_NOT_FOUND` */
  async ready(): Promise<RunPythonTask> {
    const picked = await this.pick();
    return async (task, signal, print) => {
      const interpreter = picked.alive ? picked : await this.pick();
      return interpreter.run(task, signal, print);
    };
  }

  /** The number of interpreters, for display. */
  get size(): number {
    return this.interpreters.filter((one) => one.alive).length;
  }

  async close(): Promise<void> {
    const all = this.interpreters;
    this.interpreters = [];
    const starting = await this.starting?.catch(() => undefined);
    await Promise.all([...all, ...(starting ? [starting] : [])].map((one) => one.close()));
  }

  private async pick(): Promise<WarmInterpreter> {
    this.interpreters = this.interpreters.filter((one) => one.alive);
    const idlest = this.interpreters.reduce<WarmInterpreter | undefined>(
      (best, one) => (best && best.load <= one.load ? best : one),
      undefined,
    );
    if (!idlest) return this.grow();
    if (idlest.load >= COMFORTABLE_LOAD && this.interpreters.length < MAX_INTERPRETERS) {
      // For later tasks; this one does not wait for an interpreter to start.
      void this.grow().catch(() => undefined);
    }
    return idlest;
  }

  private grow(): Promise<WarmInterpreter> {
    this.starting ??= this.start()
      .then((started) => {
        this.interpreters.push(started);
        return started;
      })
      .finally(() => {
        this.starting = undefined;
      });
    return this.starting;
  }

  private async start(): Promise<WarmInterpreter> {
    const candidates = pythonCandidates(this.env);
    let why = '';
    for (const command of candidates) {
      try {
        return await this.startWith(command);
      } catch (error) {
        const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (!missing) why = ` ('${command}' cannot be used: ${(error as Error).message})`;
      }
    }
    const tried = candidates.map((name) => `'${name}'`).join(' and ');
    throw new ToolError({
      kind: 'exception',
      code: 'PYTHON_NOT_FOUND',
      message: `no Python interpreter: tried ${tried}${why}; install Python 3.9 or newer on this worker, or name one in NOETL_PYTHON`,
    });
  }

  private async startWith(python: string): Promise<WarmInterpreter> {
    if (this.level === undefined) {
      const command = this.venv ? path.join(this.venv, 'bin', 'python') : python;
      return WarmInterpreter.start(command, pythonEnvironment(this.env));
    }
    const installation = await installationOf(python, this.env);
    const { command, env } = sandboxedInterpreter(
      { level: this.level, network: await networkOf(this.level) },
      installation,
      { script: WARM, venv: this.venv },
      this.env,
    );
    return WarmInterpreter.start(command, env);
  }
}
