/** A thread that derives histories: one job at a time, or several that follow running executions. */
import { workerData } from 'node:worker_threads';
import { serveJobs } from '../../threads/serve-jobs';
import { readingOf, type ReadingSurroundings } from '../../reading/from-host';
import { readingJobs } from './jobs';

serveJobs(readingJobs((id, host) => readingOf(id, host, workerData as ReadingSurroundings)));
