/** Work divided among threads of this process. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** More threads share the memory of the machine rather than speed anything up. */
export const THREADS = Math.min(availableParallelism(), 8);

/** Starts a thread for each piece of work. @returns what each of them posts, in order */
export function onThreads<Result>(script: string, work: readonly unknown[]): Promise<Result[]> {
  return Promise.all(
    work.map(
      (workerData) =>
        new Promise<Result>((resolve, reject) => {
          const worker = new Worker(script, { workerData });
          worker.once('message', resolve);
          worker.once('error', reject);
          worker.once('exit', (code) => reject(new Error(`a thread ended with code ${code}`)));
        }),
    ),
  );
}
