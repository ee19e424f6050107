/** A thread of `simulate`. */
import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds } from '../../offline/simulation';
import { loadConfiguredExtensions } from '../extensions';
import { readSetting } from '../input/simulation';
import { type ThreadWork } from './simulate-playbook';

async function work(): Promise<void> {
  await loadConfiguredExtensions();
  const { simulated, seeds } = workerData as ThreadWork;
  parentPort?.postMessage(
    runSeeds(
      readSetting(simulated, () => undefined),
      seeds,
    ),
  );
}

void work();
