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
import { CodedError, messageOf } from '../../errors';
import { type Jobs, type Surroundings } from './jobs';
import { type HostAnswer, type PlainError, type ThreadReply, type ThreadRequest } from './messages';
import { afterProcessorTime } from './processor-time';

/** The built file when running from TypeScript, which threads cannot load. */
export function threadFile(name: string): string {
  const here = path.extname(__filename) === '.js';
  return path.join(here ? __dirname : path.resolve(__dirname, '../../../dist/src/facade/threads'), name);
}

export interface Limits {
  /** Limit per job, in milliseconds of processor time; of jobs that share a thread, between two questions to their host. */
  readonly jobMs: number;
  readonly heapMb: number;
  /** At least two: one remains for others when a caller occupies all of its own. */
  readonly threads: number;
  /** Pending and running jobs per caller. */
  readonly jobsPerCaller: number;
  /** Jobs that mostly wait share a thread; default 1. */
  readonly jobsPerThread?: number;
  /** What is answered to a job that exceeds them. @param what `10 s` */
  readonly tooLarge?: (what: string) => FacadeError;
}

export const LIMITS: Limits = {
  jobMs: 10_000,
  heapMb: 512,
  threads: Math.min(4, Math.max(2, os.availableParallelism())),
  jobsPerCaller: 32,
};

/** Answers the questions of a job, by name. */
export type Answers = Readonly<Record<string, (about: never) => unknown>>;

export interface JobOptions {
  readonly answers?: Answers;
  /** Ends the job, in the middle of its work too. */
  readonly signal?: AbortSignal;
  /** Not with others on its thread. */
  readonly alone?: boolean;
  /** In place of those of all jobs. */
  readonly limits?: Pick<Limits, 'jobMs' | 'tooLarge'>;
}

interface Job extends JobOptions {
  readonly request: ThreadRequest;
  readonly caller: string;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** What its host threw last. */
  failure?: unknown;
  stopClock(): void;
}

interface Thread {
  readonly worker: Worker;
  readonly jobs: Map<number, Job>;
  /** Is given no other job. */
  isTaken: boolean;
}

type JobTable = Readonly<Record<string, (input: never, ...rest: never[]) => unknown>>;

/** Milliseconds in which a job that is not wanted any more may end by itself. */
const GRACE_MS = 250;

/**
 * Functions cannot be passed to threads. Mocks are not needed there; a field whose shape is a function accepts any
 * value.
 */
function withoutFunctions({ kinds = new Map<string, ToolKind>(), ...rest }: Surroundings): object {
  const plain = [...kinds].map(([name, { mock: _mock, types = {}, ...kind }]): [string, ToolKind] => [
    name,
    {
      ...kind,
      types: Object.fromEntries(Object.entries(types).map(([field, type]) => [field, plainType(type)])),
    },
  ]);
  return { ...rest, kinds: new Map(plain) };
}

function plainType(type: FieldType): FieldType {
  try {
    return structuredClone(type);
  } catch {
    return 'any';
  }
}

export class Threads<Table extends JobTable = Jobs> {
  private readonly all = new Set<Thread>();
  /** Waiting jobs by caller; the next caller's come first. */
  private readonly waiting = new Map<string, Job[]>();
  private readonly running = new Map<Job, Thread>();
  private jobs = 0;

  constructor(
    private readonly surroundings: Surroundings & Readonly<Record<string, unknown>>,
    private readonly limits: Limits = LIMITS,
    private readonly entry: string = threadFile('thread.js'),
  ) {}

  /**
   * @param caller name of a token, for fair scheduling
   * @throws FacadeError of the job; 422 `TOO_EXPENSIVE` if it exceeds its time or memory, 429 `TOO_MANY_JOBS`; errors of
   *   its `answers`; CodedError `THREAD_LOST` if another job on its thread exceeded the memory
   */
  run<Name extends keyof Table & string>(
    name: Name,
    input: Parameters<Table[Name]>[0],
    caller: string,
    options: JobOptions = {},
  ): Promise<Awaited<ReturnType<Table[Name]>>> {
    return new Promise((resolve, reject) => {
      const queue = this.waiting.get(caller) ?? [];
      if (queue.length + this.runningOf(caller) >= this.limits.jobsPerCaller)
        return reject(
          new FacadeError(
            429,
            'TOO_MANY_JOBS',
            `${this.limits.jobsPerCaller} of your playbooks, templates or executions are being processed; retry when they are done`,
          ),
        );
      const request = { job: ++this.jobs, name, input };
      const stopClock = (): void => undefined;
      const job: Job = {
        ...options,
        request,
        caller,
        resolve: resolve as Job['resolve'],
        reject,
        stopClock,
      };
      queue.push(job);
      this.waiting.set(caller, queue);
      options.signal?.addEventListener('abort', () => this.cancel(job), { once: true });
      if (options.signal?.aborted) return this.cancel(job);
      this.next();
    });
  }

  /** Terminates the threads; running jobs get no response. */
  close(): void {
    this.waiting.clear();
    for (const thread of this.all) this.end(thread, new Error('a thread ended under its job'));
  }

  private get perThread(): number {
    return this.limits.jobsPerThread ?? 1;
  }

  private runningOf(caller: string): number {
    let count = 0;
    for (const job of this.running.keys()) if (job.caller === caller) count++;
    return count;
  }

  private next(): void {
    const { perThread } = this;
    const places = this.limits.threads * perThread;
    if (this.running.size >= places) return;
    for (const [caller, [job, ...others]] of this.waiting) {
      if (!job || this.runningOf(caller) >= places - perThread) continue;
      const thread = this.threadFor(job);
      if (!thread) continue;
      this.waiting.delete(caller);
      if (others.length > 0) this.waiting.set(caller, others);
      this.start(job, thread);
      return this.next();
    }
  }

  /** The least busy one, or a new one. */
  private threadFor({ alone }: Job): Thread | undefined {
    const open = [...this.all].filter(
      ({ jobs, isTaken }) => !isTaken && jobs.size < (alone ? 1 : this.perThread),
    );
    const idle = open.find(({ jobs }) => jobs.size === 0);
    if (idle) return idle;
    if (this.all.size < this.limits.threads) return this.open();
    return alone ? undefined : open.sort((a, b) => a.jobs.size - b.jobs.size)[0];
  }

  private start(job: Job, thread: Thread): void {
    this.running.set(job, thread);
    thread.jobs.set(job.request.job, job);
    thread.isTaken = job.alone ?? false;
    thread.worker.ref();
    this.startClock(job, thread);
    thread.worker.postMessage(job.request);
  }

  private startClock(job: Job, thread: Thread): void {
    job.stopClock();
    const { jobMs } = job.limits ?? this.limits;
    job.stopClock = afterProcessorTime(jobMs, () => {
      job.reject(this.tooLarge(`${jobMs / 1000} s`, job));
      this.end(thread, lost());
    });
  }

  private settle(job: Job, thread: Thread, how: () => void): void {
    job.stopClock();
    thread.jobs.delete(job.request.job);
    this.running.delete(job);
    if (thread.jobs.size === 0) {
      thread.isTaken = false;
      // An idle thread does not keep the process alive.
      thread.worker.unref();
    }
    how();
    this.next();
  }

  private cancel(job: Job): void {
    job.reject(new CodedError('CANCELLED', 'whoever asked has left'));
    const thread = this.running.get(job);
    if (!thread) {
      const others = (this.waiting.get(job.caller) ?? []).filter((one) => one !== job);
      if (others.length > 0) this.waiting.set(job.caller, others);
      else this.waiting.delete(job.caller);
      return;
    }
    setTimeout(() => {
      if (this.running.has(job)) this.end(thread, lost());
    }, GRACE_MS).unref();
  }

  private received(thread: Thread, reply: ThreadReply): void {
    const job = thread.jobs.get(reply.job);
    if (!job) return;
    if ('ask' in reply) return void this.answer(job, thread, reply);
    this.settle(job, thread, () => {
      if ('done' in reply) job.resolve(reply.done);
      else if ('unanswered' in reply) job.reject(job.failure);
      else job.reject('refused' in reply ? errorOf(reply.refused) : reply.crashed);
    });
  }

  /** Its time does not count while it waits for us. */
  private async answer(
    job: Job,
    thread: Thread,
    { ask, about, call }: { ask: string; about: unknown; call?: number },
  ): Promise<void> {
    const answer = job.answers?.[ask];
    if (call === undefined) return void answer?.(about as never);
    if (this.perThread > 1) job.stopClock();
    const to = { job: job.request.job, call };
    let reply: HostAnswer;
    try {
      if (job.signal?.aborted) throw new CodedError('CANCELLED', 'whoever asked has left');
      reply = { ...to, value: await answer?.(about as never) };
    } catch (error) {
      job.failure = error;
      reply = { ...to, failed: messageOf(error) };
    }
    if (!this.running.has(job)) return;
    if (this.perThread > 1) this.startClock(job, thread);
    thread.worker.postMessage(reply);
  }

  private open(): Thread {
    const worker = new Worker(this.entry, {
      workerData: withoutFunctions(this.surroundings),
      resourceLimits: { maxOldGenerationSizeMb: this.limits.heapMb },
    });
    const thread: Thread = { worker, jobs: new Map(), isTaken: false };
    this.all.add(thread);
    worker.on('message', (reply: ThreadReply) => this.received(thread, reply));
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const [job, ...others] = thread.jobs.values();
      const tooLarge = this.tooLarge(`${this.limits.heapMb} MiB of memory`, job);
      this.end(thread, !isMemory ? error : others.length === 0 ? tooLarge : lost());
    });
    worker.on('exit', () => this.end(thread, new Error('a thread ended under its job')));
    return thread;
  }

  /** @param reason for the jobs that run on it */
  private end(thread: Thread, reason: Error): void {
    if (!this.all.delete(thread)) return;
    void thread.worker.terminate();
    for (const job of [...thread.jobs.values()]) this.settle(job, thread, () => job.reject(reason));
    this.next();
  }

  private tooLarge(what: string, job?: Job): FacadeError {
    const { tooLarge = tooExpensive } = job?.limits ?? this.limits;
    return tooLarge(what);
  }
}

export function tooExpensive(what: string): FacadeError {
  return new FacadeError(422, 'TOO_EXPENSIVE', `this takes more than ${what}: send less per request`);
}

/** What one job does to its thread ends the others on it, which may begin again. */
function lost(): CodedError {
  return new CodedError('THREAD_LOST', 'a thread ended for another of its jobs', { retryable: true });
}

function errorOf({ status, more, code, message, ...parts }: PlainError): CodedError {
  if (status !== undefined) return new FacadeError(status, code, message, more);
  return new CodedError(code, message, parts);
}
