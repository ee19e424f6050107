/** A thread of `threads.ts`: runs one job at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { watch } from '../../template/runtime';
import { FacadeError } from '../http/errors';
import { jobs, type Jobs, type Surroundings } from './jobs';
import { type ThreadRequest, type ThreadReply } from './messages';

watch.use(() => performance.now());
const surroundings = workerData as Surroundings;

async function answer({ name, input }: ThreadRequest): Promise<ThreadReply> {
  const job = jobs[name as keyof Jobs] as (input: unknown, surroundings: Surroundings) => unknown;
  try {
    return { done: await job(input, surroundings) };
  } catch (error) {
    if (!(error instanceof FacadeError)) return { crashed: error };
    const { status, code, message, more } = error;
    return { refused: { status, code, message, more } };
  }
}

parentPort!.on('message', (request: ThreadRequest) => {
  void answer(request).then((reply) => parentPort!.postMessage(reply));
});
