/**
 * What the facade derives from histories: never on the event loop, which all others wait for, but in threads with limits
 * of time and memory.
 */
import { type Client } from '@temporalio/client';
import { type Response } from 'express';
import { hasCode } from '../../../language/errors';
import { type HistoryEvent, unseenAfter } from '../../../history';
import { type PagesOptions } from '../../../temporal/client';
import { type Database } from '../../store';
import { described } from '../executions/described';
import { pagesOf } from '../executions/ids';
import { type Extent, type StoredEvents } from '../executions/stored';
import { sendJsonText } from '../http/portions';
import { type Principal, RouteReply } from '../http/route';
import { type Answers, type JobOptions } from '../../threads';
import { threadFile, Threads } from '../threads/threads';
import { Derivations, Deriving } from './derivations';
import { derivingReply } from './deriving';
import { answersFor, type ReadingProgress, readingSurroundings } from '../../reading/host';
import {
  DERIVING,
  FOLLOWING,
  KEPT_ROWS,
  KEPT_TEXTS,
  MAX_ANSWER,
  PATIENCE_MS,
  STORED_VIEWS,
  tooLong,
} from './thread-bounds';
import { type RowsAsked } from './rows';
import { Spool } from './spool';
import { type ReadingJobs } from './jobs';
import { type ViewName, type Views } from './views';

const NOW: readonly Extent[] = ['now'];
/** Views that the tables have, and what they need of an execution that goes on. */
const STORED: Partial<Record<ViewName, readonly Extent[]>> = {
  ...{ status: NOW, progress: NOW, detail: NOW, graph: NOW, render: NOW, stuck: NOW },
  ...{ variables: NOW, variable: NOW, variableNames: NOW },
  ...{ state: ['part', 'now'], moment: ['part', 'now'], explanation: ['now', 'part'] },
};

const ENTRY = threadFile('../reading/thread.js');

export interface ViewRequest<Name extends ViewName> {
  readonly id: string;
  readonly about: Omit<Parameters<Views[Name]>[1] & object, never>;
  readonly principal: Pick<Principal, 'name'>;
  readonly response: Response;
  /** Fields of the document that its history does not have. */
  readonly more?: Promise<object>;
}

interface WholeRequest<Name extends ViewName> extends Pick<ViewRequest<Name>, 'id' | 'about'> {
  readonly caller?: string;
}

/** Text of a playbook that an execution ran, if there is. @param file where it lay when it was compiled */
type TextOf = (path: string, sha256: string, file?: string) => Promise<string | undefined>;

/** Threads, or this process. */
export type JobRunner = Pick<Threads<ReadingJobs>, 'run' | 'isBusy' | 'close'>;

/** The rows that a page needs. */
export interface Need {
  /** Up to its end. */
  readonly count: number;
  /** An event id: of those after it. */
  readonly after?: string;
}

/** Rows of an execution with what is known at their end. */
export interface SpooledRows {
  readonly spool: Spool;
  /** Ends what fills it. */
  readonly abort?: AbortController;
  readonly progress?: ReadingProgress;
  divergence?: unknown;
}

export class Readings {
  private pools: Record<'deriving' | 'following' | 'stored', JobRunner> | undefined;
  private readonly views: Derivations<string>;
  private readonly rows: Derivations<SpooledRows>;

  /**
   * @param database undefined: everything is derived from histories
   * @param here runs the jobs in this process, without limits; default: threads, started when they are needed
   */
  constructor(
    private readonly client: Client,
    private readonly textOf: TextOf,
    private readonly database?: Pick<Database, 'rows'>,
    private readonly here?: JobRunner,
  ) {
    const isBusy = (): boolean => Object.values(this.pools ?? {}).some((pool) => pool.isBusy);
    this.views = new Derivations<string>(client, isBusy, {
      limit: KEPT_TEXTS,
      sizeOf: (text) => text.length,
      always: false,
    });
    this.rows = new Derivations<SpooledRows>(
      client,
      isBusy,
      // A command reads page after page.
      { limit: KEPT_ROWS, sizeOf: ({ spool }) => spool.size, always: here !== undefined },
      ({ spool, abort }) => {
        abort?.abort();
        void spool.close();
      },
    );
  }

  /**
   * Sends a view, or 202 `DERIVING` if it takes long.
   *
   * @throws FacadeError 422 `DERIVATION_TOO_LARGE`, `ANSWER_TOO_LARGE`, 404 if there is no such execution; errors of the view
   */
  async send<Name extends ViewName>(name: Name, request: ViewRequest<Name>): Promise<RouteReply | undefined> {
    const text = await this.text(name, request);
    if (text instanceof RouteReply) return text;
    // The view is a document with fields, which is sent as it was derived.
    const more = request.more && JSON.stringify(await request.more);
    const whole = more === undefined ? text : `${text.slice(0, -1)},${more.slice(1)}`;
    if (!this.here && whole.length > MAX_ANSWER) throw tooLong(request.id, whole.length);
    if (!request.response.destroyed) await sendJsonText(request.response, whole);
    return undefined;
  }

  /** As `send`, for what is not sent as it is. @returns JSON */
  async text<Name extends ViewName>(
    name: Name,
    { id, about, principal, response }: ViewRequest<Name>,
  ): Promise<string | RouteReply> {
    const key = `${name}/${id}/${JSON.stringify(about)}`;
    const run = (progress: ReadingProgress, signal: AbortSignal): Promise<string> =>
      this.view({ name, id, about, caller: principal.name }, progress, { signal });
    const text = await this.views.use({ id, key, response, run }, (whole) => whole);
    return text instanceof Deriving ? await derivingReply(this.client, id, text, response) : text;
  }

  /** As `text`, however long it takes, for what cannot be asked again. @param options of the job */
  async whole<Name extends ViewName>(
    name: Name,
    request: WholeRequest<Name>,
    options: JobOptions = {},
  ): Promise<Awaited<ReturnType<Views[Name]>>> {
    return JSON.parse(await this.wholeText(name, request, options)) as Awaited<ReturnType<Views[Name]>>;
  }

  /** As `whole`. @returns JSON */
  wholeText<Name extends ViewName>(
    name: Name,
    { id, about, caller = '' }: WholeRequest<Name>,
    options: JobOptions = {},
  ): Promise<string> {
    return this.view({ name, id, about, caller }, { history_events: 0, events: 0 }, options);
  }

  /**
   * The rows of an execution, while `use` reads them: at least as many as are needed, all of them where that is quick.
   *
   * @throws as `send`
   */
  async rowsOf<R>(
    { id, principal, response }: Omit<ViewRequest<ViewName>, 'about'>,
    { request, ...need }: { readonly request: RowsAsked } & Need,
    use: (rows: SpooledRows) => Promise<R>,
  ): Promise<R | RouteReply> {
    const { count, after } = need;
    const run = async (progress: ReadingProgress, signal: AbortSignal): Promise<SpooledRows> => {
      const rows: SpooledRows = { spool: new Spool(), abort: new AbortController(), progress };
      signal.addEventListener('abort', () => rows.abort?.abort(), { once: true });
      const how = { signal: rows.abort!.signal, progress };
      const filled = this.fill(rows, { id, request, caller: principal.name }, how);
      await Promise.race([filled, rows.spool.until(count, unseenAfter(after))]).catch(
        async (error: unknown) => {
          await rows.spool.close();
          throw error;
        },
      );
      if (rows.spool.hasFailed) await filled;
      // Whoever comes for more hears of it.
      filled.catch(() => undefined);
      return rows;
    };
    const key = `${id}/${JSON.stringify(request)}`;
    const used = await this.rows.use({ id, key, response, run }, async (rows): Promise<R | Deriving> => {
      const { spool } = rows;
      // It is as another reader needed it.
      await spool.until(count, unseenAfter(after), AbortSignal.timeout(PATIENCE_MS));
      if (spool.failure) throw spool.failure.error;
      return spool.has(count, unseenAfter(after)) ? await use(rows) : new Deriving(rows.progress!);
    });
    return used instanceof Deriving ? await derivingReply(this.client, id, used, response) : used;
  }

  /**
   * Fills a spool with the rows of an execution until it ends, or its history does.
   *
   * @param how.again whether to read again after an error of the connection
   * @throws as `send`
   */
  async fill(
    rows: SpooledRows,
    { id, request, caller }: { readonly id: string; readonly request: RowsAsked; readonly caller: string },
    how: {
      readonly signal: AbortSignal;
      readonly progress?: ReadingProgress;
      readonly again?: (error: unknown, failures: number) => Promise<boolean>;
    },
  ): Promise<void> {
    const { signal, progress = { history_events: 0, events: 0 }, again } = how;
    const { spool } = rows;
    let failure: unknown;
    const put = (block: Parameters<Spool['put']>[0]): Promise<void> => spool.put(block);
    try {
      const stored = request.bodies ? undefined : await this.stored(id);
      if (stored) {
        const answers = { ...stored.answers, put, progress: (events: number) => (progress.events = events) };
        await this.threads.following.run('storedRows', request, caller, { answers, signal });
        return spool.end();
      }
    } catch (error) {
      if (signal.aborted || spool.count > 0) {
        spool.end({ error });
        throw error;
      }
    }
    for (let alone = false; ; alone = true) {
      const answers: Answers = {
        ...this.host(id, progress, { signal, follow: request.follow, failed: (error) => (failure = error) }),
        again: (failures: number) => again?.(failure, failures) ?? false,
        put,
      };
      const threads = this.threads[request.follow ? 'following' : 'deriving'];
      try {
        const after = spool.lastId;
        const input = { ...request, id, ...(after !== undefined && { after }) };
        const { divergence } = await threads.run('rows', input, caller, { answers, signal, alone });
        rows.divergence = divergence;
        return spool.end();
      } catch (error) {
        // It or another on its thread took too much: alone it shows which.
        if (!alone && hasCode(error, 'THREAD_LOST')) continue;
        spool.end({ error });
        throw error;
      }
    }
  }

  close(): void {
    for (const threads of Object.values(this.pools ?? {})) threads.close();
  }

  private get threads(): NonNullable<Readings['pools']> {
    if (this.pools) return this.pools;
    const { here } = this;
    if (here) return (this.pools = { deriving: here, following: here, stored: here });
    const surroundings = { ...readingSurroundings(this.client) };
    this.pools = {
      deriving: new Threads<ReadingJobs>(surroundings, DERIVING, ENTRY),
      following: new Threads<ReadingJobs>(surroundings, FOLLOWING, ENTRY),
      stored: new Threads<ReadingJobs>(surroundings, STORED_VIEWS, ENTRY),
    };
    return this.pools;
  }

  private async view(
    { id, name, about, caller }: { id: string; name: ViewName; about: unknown; caller: string },
    progress: ReadingProgress,
    options: JobOptions,
  ): Promise<string> {
    const text = (one: { path: string; sha256: string; file?: string }): unknown =>
      this.textOf(one.path, one.sha256, one.file);
    for (const extent of STORED[name] ?? []) {
      const stored = await this.stored(id, extent);
      if (!stored) continue;
      const { facts } = stored;
      const answers = { ...stored.answers, text };
      const view = await this.threads.stored.run('stored', { name, about, facts }, caller, {
        ...options,
        answers,
      });
      if (view !== undefined) return view;
      if (stored.isWhole) break;
    }
    const answers = { ...this.host(id, progress, options), text };
    return await this.threads.deriving.run('view', { id, name, about }, caller, { ...options, answers });
  }

  private async stored(id: string, extent?: Extent): Promise<StoredEvents | undefined> {
    const { client, database } = this;
    if (!database) return undefined;
    const { StoredEvents: Stored } = await import('../executions/stored.js');
    return await Stored.of({ client, database }, id, await described(client, id), extent);
  }

  private host(
    id: string,
    progress: ReadingProgress,
    options: PagesOptions & { readonly failed?: (error: unknown) => void },
  ): Answers {
    const { client } = this;
    const pages = async function* (): AsyncGenerator<readonly HistoryEvent[], void> {
      try {
        yield* pagesOf(client, id, options);
      } catch (error) {
        options.failed?.(error);
        throw error;
      }
    };
    return answersFor(client, pages, progress);
  }
}
