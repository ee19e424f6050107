/**
 * Worker threads for jobs whose duration a client controls: compiling its documents, evaluating its templates. They
 * never run on the event loop, which all others wait for; each job has a limit of time and memory, and callers take
 * turns.
 */
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { type FieldType, type ToolKind } from '../../kinds/declaration';
import { FacadeError } from '../http/errors';
import { type Jobs, type Surroundings } from './jobs';
import { type ThreadRequest, type ThreadReply } from './messages';
import { afterProcessorTime } from './processor-time';

/** The built file when running from TypeScript, which threads cannot load. */
const ENTRY = path.join(
  path.extname(__filename) === '.js'
    ? __dirname
    : path.resolve(__dirname, '../../../dist/src/facade/threads'),
  'thread.js',
);

export interface Limits {
  /** Limit per job, in milliseconds of processor time. */
  readonly jobMs: number;
  readonly heapMb: number;
  /** At least two: one remains for others when a caller occupies all of its own. */
  readonly threads: number;
  /** Pending and running jobs per caller. */
  readonly jobsPerCaller: number;
}

const LIMITS: Limits = {
  jobMs: 10_000,
  heapMb: 512,
  threads: Math.min(4, Math.max(2, os.availableParallelism())),
  jobsPerCaller: 32,
};

interface Job {
  readonly request: ThreadRequest;
  readonly caller: string;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Functions cannot be passed to threads. Mocks are not needed there; a field whose shape is a function accepts any
 * value.
 */
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
  /** Waiting jobs by caller; the next caller's come first. */
  private readonly waiting = new Map<string, Job[]>();
  private readonly running: Job[] = [];

  constructor(
    private readonly surroundings: Surroundings,
    private readonly limits: Limits = LIMITS,
    private readonly entry: string = ENTRY,
  ) {}

  /**
   * @param caller name of a token, for fair scheduling
   * @throws FacadeError of the job; 422 `TOO_EXPENSIVE` if it exceeds its time or memory, 429 `TOO_MANY_JOBS`
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
      queue.push({ request: { name, input }, caller, resolve: resolve as Job['resolve'], reject });
      this.waiting.set(caller, queue);
      this.next();
    });
  }

  /** Terminates the threads; running jobs get no response. */
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
      cancelLimit();
      for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
      this.running.splice(this.running.indexOf(job), 1);
      if (isReusable) this.putBack(thread);
      else this.end(thread);
      how();
      this.next();
    };
    const cancelLimit = afterProcessorTime(this.limits.jobMs, () => {
      const message = `this takes more than ${this.limits.jobMs / 1000} s: send less per request`;
      settle(() => job.reject(tooExpensive(message)), false);
    });
    thread.on('message', (reply: ThreadReply) =>
      settle(() => {
        if ('done' in reply) return job.resolve(reply.done);
        if ('crashed' in reply) return job.reject(reply.crashed);
        const { status, code, message, more } = reply.refused;
        job.reject(new FacadeError(status, code, message, more));
      }, true),
    );
    thread.on('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const message = `this takes more than ${this.limits.heapMb} MiB of memory: send less per request`;
      settle(() => job.reject(isMemory ? tooExpensive(message) : error), false);
    });
    thread.on('exit', () => settle(() => job.reject(new Error('a thread ended under its job')), false));
    thread.ref();
    thread.postMessage(job.request);
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
    // An idle thread does not keep the process alive, and its exit needs no handling.
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

function tooExpensive(message: string): FacadeError {
  return new FacadeError(422, 'TOO_EXPENSIVE', message);
}
