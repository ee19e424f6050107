/** A thread for the jobs of `jobs.ts`. */
import { workerData } from 'node:worker_threads';
import { hostWatch } from '../../../language/template/runtime';
import { jobs, type CompileSurroundings } from './jobs';
import { serveJobs } from '../../threads/serve-jobs';

hostWatch.use(() => performance.now());
const surroundings = workerData as CompileSurroundings;

serveJobs(
  Object.fromEntries(
    Object.entries(jobs).map(([name, job]) => [
      name,
      (input: never) =>
        (job as (input: unknown, surroundings: CompileSurroundings) => unknown)(input, surroundings),
    ]),
  ),
);
