/** Jobs that derive histories: in threads of the facade, or in the process of a command. */
import { type HostReading } from '../../reading/from-host';
import { type Host } from '../../threads/serve-jobs';
import { type StoredFacts } from '../executions/stored';
import { type rows, type RowsAsked } from './rows';
import { type ViewName, views } from './views';

/** A view of an execution. */
interface ViewAsked {
  readonly id: string;
  readonly name: ViewName;
  readonly about: unknown;
}

interface StoredAsked extends Omit<ViewAsked, 'id'> {
  readonly facts: StoredFacts;
}

/** What a job needs is loaded when it is the first of its kind. @param readingOf how an execution is read where the jobs run */
export function readingJobs(readingOf: (id: string, host: Host) => HostReading) {
  return {
    /** As JSON text: the event loop passes it on without looking into it. */
    async view({ id, name, about }: ViewAsked, host: Host): Promise<string> {
      return JSON.stringify(await views[name](readingOf(id, host), about as never));
    },
    /** As `view`, of a closed execution in the tables. @returns undefined if they lack a keyframe for it */
    async stored({ name, about, facts }: StoredAsked, host: Host): Promise<string | undefined> {
      const { storedViews } = await import('./stored-views.js');
      const view = await storedViews[name]?.({ facts, host }, about as never);
      return view === undefined ? undefined : JSON.stringify(view);
    },
    /** @returns where this release diverges from the history */
    async rows({ id, ...request }: RowsAsked & { id: string }, host: Host): ReturnType<typeof rows> {
      const { rows: derived } = await import('./rows.js');
      return await derived(readingOf(id, host), request);
    },
    /** As `rows`, of a closed execution in the tables. */
    async storedRows(request: RowsAsked, host: Host): Promise<{ readonly divergence?: undefined }> {
      const { storedRows } = await import('./rows.js');
      await storedRows(host, request);
      return {};
    },
  };
}
export type ReadingJobs = ReturnType<typeof readingJobs>;
