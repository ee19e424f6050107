/**
 * Threads for work that a client can make as long as it likes: compiling what it sends, evaluating its templates. The
 * event loop, on which everybody else waits, never does it; each job has a time and a memory to keep, and callers take
 * turns.
 */
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type FieldType, type ToolKind } from '../../kinds/declaration';
import { FacadeError } from '../http/errors';
import { type Jobs, type Surroundings } from './jobs';
import { type Asked, type Told } from './messages';

/** Beside TypeScript, which threads do not read, the one that the build made. */
const ENTRY = path.join(
  path.extname(__filename) === '.js'
    ? __dirname
    : path.resolve(__dirname, '../../../dist/src/facade/threads'),
  'thread.js',
);

export interface Limits {
  /** Of one job, in milliseconds. */
  readonly jobMs: number;
  readonly heapMb: number;
  /** Of threads, two at least: one that is left for the others when a caller keeps all of its own busy. */
  readonly threads: number;
  /** Jobs that one caller may have under way, those that wait among them. */
  readonly jobsPerCaller: number;
}

const LIMITS: Limits = {
  jobMs: 10_000,
  heapMb: 512,
  threads: Math.min(4, Math.max(2, os.availableParallelism())),
  jobsPerCaller: 32,
};

interface Job {
  readonly asked: Asked;
  readonly caller: string;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Functions do not pass between threads. Nobody needs mocks there; a field whose shape is one holds anything. */
function withoutFunctions({ kinds = new Map<string, ToolKind>() }: Surroundings): Surroundings {
  const plain = [...kinds].map(([name, { mock: _mock, types = {}, ...kind }]): [string, ToolKind] => [
    name,
    {
      ...kind,
      types: Object.fromEntries(Object.entries(types).map(([field, type]) => [field, plainType(type)])),
    },
  ]);
  return { kinds: new Map(plain) };
}

function plainType(type: FieldType): FieldType {
  try {
    return structuredClone(type);
  } catch {
    return 'any';
  }
}

export class Threads {
  private readonly idle = new Set<Worker>();
  private readonly all = new Set<Worker>();
  /** Jobs that wait, by caller; whose turn is next stands first. */
  private readonly waiting = new Map<string, Job[]>();
  private readonly running: Job[] = [];

  constructor(
    private readonly surroundings: Surroundings,
    private readonly limits: Limits = LIMITS,
    private readonly entry: string = ENTRY,
  ) {}

  /**
   * @param caller whose turn it is, by the name of a token
   * @throws FacadeError of the job; 422 `TOO_EXPENSIVE` when it takes too long or too much memory, 429 `TOO_MANY_JOBS`
   */
  run<Name extends keyof Jobs>(
    name: Name,
    input: Parameters<Jobs[Name]>[0],
    caller: string,
  ): Promise<Awaited<ReturnType<Jobs[Name]>>> {
    return new Promise((resolve, reject) => {
      const queue = this.waiting.get(caller) ?? [];
      if (queue.length + this.runningOf(caller) >= this.limits.jobsPerCaller)
        return reject(
          new FacadeError(
            429,
            'TOO_MANY_JOBS',
            `${this.limits.jobsPerCaller} of your playbooks or templates are being processed; retry when they are done`,
          ),
        );
      queue.push({ asked: { name, input }, caller, resolve: resolve as Job['resolve'], reject });
      this.waiting.set(caller, queue);
      this.next();
    });
  }

  /** Ends the threads; what was under way is not answered. */
  close(): void {
    for (const thread of this.all) void thread.terminate();
    this.waiting.clear();
  }

  private runningOf(caller: string): number {
    return this.running.filter((job) => job.caller === caller).length;
  }

  private next(): void {
    if (this.running.length >= this.limits.threads) return;
    for (const [caller, [job, ...others]] of this.waiting) {
      if (this.runningOf(caller) >= this.limits.threads - 1) continue;
      this.waiting.delete(caller);
      if (others.length > 0) this.waiting.set(caller, others);
      if (job) this.start(job);
      return this.next();
    }
  }

  private start(job: Job): void {
    const thread = this.take();
    this.running.push(job);
    const settle = (how: () => void, isReusable: boolean): void => {
      clearTimeout(limit);
      for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
      this.running.splice(this.running.indexOf(job), 1);
      if (isReusable) this.putBack(thread);
      else this.end(thread);
      how();
      this.next();
    };
    const limit = setTimeout(() => {
      const said = `this takes more than ${this.limits.jobMs / 1000} s: send less per request`;
      settle(() => job.reject(tooExpensive(said)), false);
    }, this.limits.jobMs);
    thread.on('message', (told: Told) =>
      settle(() => {
        if ('done' in told) return job.resolve(told.done);
        if ('crashed' in told) return job.reject(told.crashed);
        const { status, code, message, more } = told.refused;
        job.reject(new FacadeError(status, code, message, more));
      }, true),
    );
    thread.on('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const said = `this takes more than ${this.limits.heapMb} MiB of memory: send less per request`;
      settle(() => job.reject(isMemory ? tooExpensive(said) : error), false);
    });
    thread.on('exit', () => settle(() => job.reject(new Error('a thread ended under its job')), false));
    thread.ref();
    thread.postMessage(job.asked);
  }

  private take(): Worker {
    const [free] = this.idle;
    if (free) {
      this.idle.delete(free);
      return free;
    }
    const thread = new Worker(this.entry, {
      workerData: withoutFunctions(this.surroundings),
      resourceLimits: { maxOldGenerationSizeMb: this.limits.heapMb },
    });
    this.all.add(thread);
    return thread;
  }

  private putBack(thread: Worker): void {
    // One that waits for nothing keeps no process alive; one that dies while it waits is missed by nobody.
    thread.unref();
    thread.on('error', () => this.end(thread));
    this.idle.add(thread);
  }

  private end(thread: Worker): void {
    this.idle.delete(thread);
    this.all.delete(thread);
    thread.on('error', () => undefined);
    void thread.terminate();
  }
}

function tooExpensive(said: string): FacadeError {
  return new FacadeError(422, 'TOO_EXPENSIVE', said);
}
