/** A thread for the jobs of `jobs.ts`. */
import { workerData } from 'node:worker_threads';
import { watch } from '../../../language/template/runtime';
import { jobs, type Surroundings } from './jobs';
import { serveJobs } from '../../threads/serve-jobs';

watch.use(() => performance.now());
const surroundings = workerData as Surroundings;

serveJobs(
  Object.fromEntries(
    Object.entries(jobs).map(([name, job]) => [
      name,
      (input: never) => (job as (input: unknown, surroundings: Surroundings) => unknown)(input, surroundings),
    ]),
  ),
);
