/**
 * Executions that the projection has: their pages are read from its tables, at the cost of the page. Everything else is
 * derived: what only the end of a running one says, too.
 */
import { type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { compact, type ScheduleMemo } from '../../plan';
import {
  eventsAfter,
  newestRows,
  positionOf,
  rowsAfter,
  segmentBefore,
  segmentWith,
  type StoredExecution,
  storedExecution,
  variableFacts,
} from '../../projection';
import { unsealed } from '../../reading/sealing';
import { type Database } from '../../store';
import { type Answers } from '../../threads';
import { paginationOf } from './pagination';
import { type ExecutionSummary, identityOf } from './summary';
import { timesOf } from './times';
import { errorText, type Status } from './words';

/** Ends that the engine does not know. */
const CLOSED: Readonly<Record<string, string>> = { TERMINATED: 'terminated', TIMED_OUT: 'timed_out' };

/** An execution, for views of it. */
export interface StoredFacts {
  readonly id: string;
  /** Of its events. */
  readonly total: number;
  readonly status: Status;
  readonly error: string | null;
  readonly result: unknown;
  /** It goes on: there may be more events. */
  readonly isRunning: boolean;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number | undefined;
  readonly lastEventId: string;
  /** How Temporal ended it, if not the engine. */
  readonly closed: string | null;
  readonly schedule?: ScheduleMemo;
  readonly divergence?: unknown;
}

interface PageQuery {
  readonly page: number;
  readonly page_size: number;
}

interface Source {
  readonly client: Client;
  readonly database: Pick<Database, 'rows'>;
}

export class StoredEvents {
  private constructor(
    private readonly source: Source,
    private readonly info: WorkflowExecutionDescription,
    private readonly id: string,
    private readonly execution: StoredExecution,
  ) {}

  /**
   * Undefined if the tables do not have all of it, or do not answer.
   *
   * @param which `running`: also one that goes on, of which they have a part
   */
  static async of(
    source: Source,
    id: string,
    info: WorkflowExecutionDescription,
    which: 'closed' | 'running' = 'closed',
  ): Promise<StoredEvents | undefined> {
    const { runId, closeTime } = info;
    if (!closeTime && which === 'closed') return undefined;
    const run = { runId, closedAt: closeTime?.getTime() ?? null };
    const execution = await storedExecution(source.database.rows, id, run).catch(() => undefined);
    return execution && new StoredEvents(source, info, id, execution);
  }

  /** Of its events. */
  get total(): number {
    return this.execution.total;
  }

  private get isRunning(): boolean {
    return this.info.closeTime === undefined;
  }

  /** As the route sends it; undefined if the cursor is not an event of the execution, or the tables do not have the whole page. */
  async canonicalPage(
    query: PageQuery & { readonly after?: string; readonly stored?: boolean },
  ): Promise<object | undefined> {
    const { rows } = this.source.database;
    const first = query.after === undefined ? 0 : await positionOf(rows, this.id, query.after);
    if (first === undefined) return undefined;
    const { page, page_size } = query;
    const { total, divergence } = this.execution;
    const isPart = this.isRunning && !query.stored;
    if (isPart && total <= first + page * page_size) return undefined;
    const events = await eventsAfter(rows, this.id, first + (page - 1) * page_size, page_size);
    const pages = paginationOf(query, isPart ? null : total - first);
    return {
      events: events.map((event) => ({ ...event, ts: event.timestamp })),
      pagination: { ...pages, next_cursor: pages.has_next ? (events.at(-1)?.event_id ?? null) : null },
      ...(divergence ? { divergence } : {}),
    };
  }

  /** As the route of the detail sends it. */
  async detail(query: PageQuery & { readonly since?: string; readonly type?: string }): Promise<object> {
    const { page, page_size, since, type } = query;
    const summary = this.summary();
    const after =
      since === undefined
        ? 0
        : /^\d+$/.test(since)
          ? Number(since)
          : ((await positionOf(this.source.database.rows, this.id, since)) ?? 0);
    const { rows, total } = await newestRows(
      this.source.database.rows,
      this.id,
      { after, ...compact({ type }), skip: (page - 1) * page_size, count: page_size },
      this.execution.total,
    );
    const { catalog_id, parent_execution_id } = summary;
    return {
      ...summary,
      events: rows.map((row) => ({ ...row, catalog_id, parent_execution_id })),
      events_included: true,
      events_endpoint: `/api/executions/${this.id}/events`,
      pagination: paginationOf(query, total),
    };
  }

  /** What its views need that is not in a keyframe. */
  get facts(): StoredFacts {
    const { id, info, execution } = this;
    const { start, total, divergence, last_event_id: lastEventId } = execution;
    const end = execution.end ?? undefined;
    const { status, error } = this.summary();
    const { noetl_schedule: schedule } = (info.memo ?? {}) as { noetl_schedule?: ScheduleMemo };
    const { result } = execution;
    return {
      ...{ id, status, error, start, end, total, lastEventId, result: result ?? null },
      isRunning: this.isRunning,
      closed: CLOSED[info.status.name] ?? null,
      ...compact({ schedule }),
      ...(divergence ? { divergence } : {}),
    };
  }

  /** Answers a thread that makes a view of it. */
  get answers(): Answers {
    const { id, source } = this;
    const { rows } = source.database;
    return {
      segment: async (seq: number) => {
        const segment = await segmentWith(rows, id, seq);
        return segment && (await unsealed(source.client, segment));
      },
      segmentBefore: async (seq: number) => {
        const segment = await segmentBefore(rows, id, seq);
        return segment && (await unsealed(source.client, segment));
      },
      position: (eventId: string) => positionOf(rows, id, eventId),
      rows: ({ after, count }: { after: number; count: number }) => rowsAfter(rows, id, after, count),
      variables: () => variableFacts(rows, id),
    };
  }

  private summary(): ExecutionSummary {
    const { path, version, start, result, error, error_detail, ...row } = this.execution;
    const identity = identityOf(this.info);
    const status = row.status as Status;
    return {
      ...identity,
      catalog_id: identity.catalog_id ?? row.catalog_id,
      version: row.catalog_version ?? identity.version ?? version,
      path,
      status,
      ...timesOf(start, row.end ?? undefined, row.end ?? Date.now()),
      progress: 100,
      result: result ?? null,
      error: errorText(error_detail) ?? (status === 'CANCELLED' ? (error ?? 'cancelled') : null),
    };
  }
}
