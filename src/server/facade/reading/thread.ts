/** A thread that derives histories: one job at a time, or several that follow running executions. */
import { workerData } from 'node:worker_threads';
import { type Host, serveJobs } from '../../threads/serve-jobs';
import { readingOf, type ReadingSurroundings } from '../../reading/from-host';
import { rows, type RowsAsked, storedRows } from './rows';
import { type StoredFacts } from '../executions/stored';
import { storedViews } from './stored-views';
import { type ViewName, views } from './views';

const surroundings = workerData as ReadingSurroundings;

/** A view of an execution. */
export interface ViewAsked {
  readonly id: string;
  readonly name: ViewName;
  readonly about: unknown;
}

interface StoredAsked extends Omit<ViewAsked, 'id'> {
  readonly facts: StoredFacts;
}

const jobs = {
  /** As JSON text: the event loop passes it on without looking into it. */
  async view({ id, name, about }: ViewAsked, host: Host): Promise<string> {
    return JSON.stringify(await views[name](readingOf(id, host, surroundings), about as never));
  },
  /** As `view`, of a closed execution in the tables. @returns undefined if they lack a keyframe for it */
  async stored({ name, about, facts }: StoredAsked, host: Host): Promise<string | undefined> {
    const view = await storedViews[name]?.({ facts, host }, about as never);
    return view === undefined ? undefined : JSON.stringify(view);
  },
  /** @returns where this release diverges from the history */
  rows: ({ id, ...request }: RowsAsked & { id: string }, host: Host): ReturnType<typeof rows> =>
    rows(readingOf(id, host, surroundings), request),
  /** As `rows`, of a closed execution in the tables. */
  async storedRows(request: RowsAsked, host: Host): Promise<{ readonly divergence?: undefined }> {
    await storedRows(host, request);
    return {};
  },
};
export type ReadingJobs = typeof jobs;

serveJobs(jobs);
