/** A thread of `simulate`. */
import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds } from '../../offline/simulation';
import { loadConfiguredExtensions } from '../extensions';
import { readSetting } from '../input/simulation';
import { type SimulationWork } from './simulate-playbook';

async function work(): Promise<void> {
  await loadConfiguredExtensions();
  const { simulated, seeds } = workerData as SimulationWork;
  parentPort?.postMessage(
    runSeeds(
      readSetting(simulated, () => undefined),
      seeds,
    ),
  );
}

void work();
