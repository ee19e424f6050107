/** A thread's side of `threads.ts`: runs jobs, which may ask whoever gave them for more. */
import { parentPort } from 'node:worker_threads';
import { CodedError } from '../../language/errors';
import { type HostAnswer, type PlainError, type ThreadReply, type ThreadRequest } from './messages';

/** What a job may ask its host. */
export interface Host {
  ask(name: string, about?: unknown): Promise<unknown>;
  /** Without an answer. */
  tell(name: string, about: unknown): void;
}

type Job = (input: never, host: Host) => unknown;

/** The host's answer to a question was an error. */
export class UnansweredJob extends Error {}

export function serveJobs(jobs: Readonly<Record<string, Job>>): void {
  const port = parentPort!;
  const waiting = new Map<string, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  const hostOf = (job: number): Host => ({
    tell: (ask, about) => port.postMessage({ job, ask, about } satisfies ThreadReply),
    ask: (ask, about) =>
      new Promise((resolve, reject) => {
        const call = ++calls;
        waiting.set(`${job}/${call}`, { resolve, reject });
        port.postMessage({ job, ask, about, call } satisfies ThreadReply);
      }),
  });
  const run = async ({ job, name, input }: ThreadRequest): Promise<ThreadReply> => {
    try {
      return { job, done: await jobs[name]!(input as never, hostOf(job)) };
    } catch (error) {
      return { job, ...failure(error) };
    }
  };
  port.on('message', (message: ThreadRequest | HostAnswer) => {
    if ('name' in message) return void run(message).then((reply) => port.postMessage(reply));
    const key = `${message.job}/${message.call}`;
    const question = waiting.get(key);
    waiting.delete(key);
    if (message.failed === undefined) question?.resolve(message.value);
    else question?.reject(new UnansweredJob(message.failed));
  });
}

function failure(error: unknown): { refused: PlainError } | { unanswered: true } | { crashed: unknown } {
  if (error instanceof UnansweredJob) return { unanswered: true };
  if (!(error instanceof CodedError)) return { crashed: error };
  const { code, message, hint, retryable, details } = error;
  const { status, more } = error as { status?: number; more?: PlainError['more'] };
  return { refused: { code, message, hint, retryable, details, status, more } };
}
