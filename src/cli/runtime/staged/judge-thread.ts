/**
 * Judges executions in a thread, with limits: whatever a staged version does, the projection goes on. The thread
 * exists while there is something to judge.
 */
import { Worker } from 'node:worker_threads';
import { CodedError } from '../../../language/errors';
import { type JudgeRequest, type Judged } from '../../../server/staged';
import { type JudgeWork, type JudgeReply } from './messages';

export interface JudgeLimits {
  /** Per execution, in milliseconds. */
  readonly judgeMs: number;
  readonly heapMb: number;
  /** Milliseconds without work after which the thread ends. */
  readonly idleMs: number;
}

const LIMITS: JudgeLimits = { judgeMs: 60_000, heapMb: 1_024, idleMs: 60_000 };

export class JudgeThread {
  private thread: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly work: JudgeWork,
    private readonly limits: JudgeLimits = LIMITS,
    private readonly entry: string = require.resolve('./thread'),
  ) {}

  /**
   * One execution at a time.
   *
   * @throws CodedError `JUDGING_TOO_EXPENSIVE` if it takes too much time or memory, and the errors of reading histories
   */
  async judge(request: JudgeRequest): Promise<Judged> {
    clearTimeout(this.idle);
    const thread = (this.thread ??= this.started());
    try {
      const reply = await this.answer(thread, request);
      if ('done' in reply) return reply.done;
      const { code, message, retryable } = reply.failed;
      throw code === undefined ? new Error(message) : new CodedError(code, message, { retryable });
    } finally {
      this.idle = setTimeout(() => void this.close(), this.limits.idleMs).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { thread } = this;
    this.thread = undefined;
    await thread?.terminate();
  }

  private started(): Worker {
    return new Worker(this.entry, {
      workerData: this.work,
      resourceLimits: { maxOldGenerationSizeMb: this.limits.heapMb },
    });
  }

  private answer(thread: Worker, request: JudgeRequest): Promise<JudgeReply> {
    const { judgeMs, heapMb } = this.limits;
    return new Promise<JudgeReply>((resolve, reject) => {
      const settle = (how: () => void): void => {
        clearTimeout(limit);
        for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
        how();
      };
      const end = (error: unknown): void =>
        settle(() => {
          thread.on('error', () => undefined);
          void this.close();
          reject(error);
        });
      const limit = setTimeout(() => end(tooExpensive(`${judgeMs / 1000} s`)), judgeMs);
      thread.on('message', (reply: JudgeReply) => settle(() => resolve(reply)));
      thread.on('error', (error: NodeJS.ErrnoException) =>
        end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooExpensive(`${heapMb} MiB`) : error),
      );
      thread.on('exit', () => end(new Error('the thread that judges executions ended')));
      thread.postMessage(request);
    });
  }
}

function tooExpensive(what: string): CodedError {
  return new CodedError('JUDGING_TOO_EXPENSIVE', `re-deciding it takes more than ${what}`);
}
