/**
 * Worker threads for jobs whose duration somebody else controls: compiling documents, evaluating templates, deriving
 * histories. They never run on the event loop, which all others wait for; each job has a limit of time and memory, and callers take
 * turns.
 */
import { Worker } from 'node:worker_threads';
import { CodedError, messageOf } from '../../language/errors';
import { type HostAnswer, type PlainError, type ThreadReply, type ThreadRequest } from './messages';
import { afterProcessorTime } from './processor-time';

export interface ThreadLimits {
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
  readonly tooLarge: (what: string) => Error;
  /** What is answered to a caller with too many jobs. */
  readonly tooMany: (jobs: number) => Error;
}

/** Answers the questions of a job, by name. */
export type Answers = Readonly<Record<string, (about: never) => unknown>>;

export interface JobOptions {
  readonly answers?: Answers;
  /** Ends the job, in the middle of its work too. */
  readonly signal?: AbortSignal;
  /** Not with others on its thread. */
  readonly alone?: boolean;
  /** In place of those of all jobs. */
  readonly limits?: Pick<ThreadLimits, 'jobMs' | 'tooLarge'>;
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
  idle?: NodeJS.Timeout;
}

export type JobTable = Readonly<Record<string, (input: never, ...rest: never[]) => unknown>>;

/** A thread that has had nothing to do for so long gives back its memory. Milliseconds. */
const IDLE_MS = 20_000;
/** Milliseconds in which a job that is not wanted any more may end by itself. */
const GRACE_MS = 250;

export class ThreadPool<Table extends JobTable> {
  private readonly all = new Set<Thread>();
  /** Told to end, and not gone: their memory counts until they are. */
  private ending = 0;
  /** Waiting jobs by caller; the next caller's come first. */
  private readonly waiting = new Map<string, Job[]>();
  private readonly running = new Map<Job, Thread>();
  private jobs = 0;

  /**
   * @param surroundings `workerData` of each thread
   * @param entry file of a thread
   * @param revive makes an error of a job from its data; by default a CodedError
   */
  constructor(
    private readonly surroundings: object,
    private readonly limits: ThreadLimits,
    private readonly entry: string,
    private readonly revive: (error: PlainError) => Error = codedError,
  ) {}

  /**
   * @param caller name of a token, for fair scheduling
   * @throws errors of the job and of its `answers`; what the limits say if it exceeds its time or memory, or the caller has
   *   too many; CodedError `THREAD_LOST` if another job on its thread exceeded the memory
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
        return reject(this.limits.tooMany(this.limits.jobsPerCaller));
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

  /** Whether jobs wait for others to end. */
  get isBusy(): boolean {
    return this.waiting.size > 0;
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
    if (this.all.size + this.ending < this.limits.threads) return this.open();
    return alone ? undefined : open.sort((a, b) => a.jobs.size - b.jobs.size)[0];
  }

  private start(job: Job, thread: Thread): void {
    this.running.set(job, thread);
    thread.jobs.set(job.request.job, job);
    thread.isTaken = job.alone ?? false;
    clearTimeout(thread.idle);
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
      thread.idle = setTimeout(() => this.end(thread, lost()), IDLE_MS).unref();
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
    // Others work on a shared one: it ends by itself when it next asks, or by its clock.
    if (this.perThread > 1) return;
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
      else job.reject('refused' in reply ? this.revive(reply.refused) : reply.crashed);
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
      workerData: this.surroundings,
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
    clearTimeout(thread.idle);
    this.ending++;
    void thread.worker.terminate().then(() => {
      this.ending--;
      this.next();
    });
    for (const job of [...thread.jobs.values()]) this.settle(job, thread, () => job.reject(reason));
    this.next();
  }

  private tooLarge(what: string, job?: Job): Error {
    return (job?.limits ?? this.limits).tooLarge(what);
  }
}

/** What one job does to its thread ends the others on it, which may begin again. */
function lost(): CodedError {
  return new CodedError('THREAD_LOST', 'a thread ended for another of its jobs', { retryable: true });
}

function codedError({ code, message, ...parts }: PlainError): Error {
  return new CodedError(code, message, parts);
}
