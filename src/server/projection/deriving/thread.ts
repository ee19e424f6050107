/** A thread that derives events for sinks, of several executions: mostly it waits for them. */
import { workerData } from 'node:worker_threads';
import { readingOf, type ReadingSurroundings } from '../../reading/from-host';
import { type Host, serveJobs } from '../../threads/serve-jobs';
import { deliver, type EventDelivery } from './deliver';

const surroundings = workerData as ReadingSurroundings;

const jobs = {
  deliver: ({ id, ...delivery }: EventDelivery & { readonly id: string }, host: Host): Promise<boolean> =>
    deliver(readingOf(id, host, surroundings), delivery),
};
export type DeliveryJobs = typeof jobs;

serveJobs(jobs);
