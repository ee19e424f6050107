/** A thread of `verify`. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadConfiguredExtensions } from '../extensions';
import { verdictsOnFiles } from './past-executions';

async function work(): Promise<void> {
  await loadConfiguredExtensions();
  parentPort?.postMessage(await verdictsOnFiles(workerData));
}

void work();
