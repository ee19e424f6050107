/**
 * Executions that the projection has: their pages are read from its tables, at the cost of the page. What it does not have
 * (yet) is derived.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { type Row } from '../../../history';
import { compact, type ScheduleMemo } from '../../../language/plan';
import {
  eventsAfter,
  newestRows,
  noetlRowsAfter,
  eventPosition,
  rowsAfter,
  segmentWith,
  type StoredExecution,
  storedExecution,
  type TableQuery,
  variableFacts,
} from '../../projection';
import { unsealed } from '../../reading/sealing';
import { type Database } from '../../store';
import { type Answers } from '../../threads';
import { JsonRows, ROWS, turn } from '../http/portions';
import { paginationOf } from './pagination';
import { executionIdentity } from './summary';
import { timesOf } from './times';
import { errorSentence } from './words';
import { type ExecutionStatusWord } from '../documents/executions';
import { type ExecutionDocument } from '../documents';

/** Ends that the engine does not know. */
const CLOSED: Readonly<Record<string, string>> = { TERMINATED: 'terminated', TIMED_OUT: 'timed_out' };

/** An execution, for views of it. */
export interface StoredFacts {
  readonly id: string;
  /** Of its events. */
  readonly total: number;
  readonly status: ExecutionStatusWord;
  readonly error: string | null;
  readonly result: unknown;
  readonly isRunning: boolean;
  /** There are no more events yet. */
  readonly isWhole: boolean;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number | undefined;
  readonly lastEventId: string;
  /** How Temporal ended it, if not the engine. */
  readonly closed: string | null;
  /** What `error` is the text of. */
  readonly errorDetail: unknown;
  readonly schedule?: ScheduleMemo;
  readonly divergence?: unknown;
}

interface PageQuery {
  readonly page: number;
  readonly page_size: number;
}

interface DetailQuery extends PageQuery {
  readonly since?: number;
  readonly type?: string;
}

interface Source {
  readonly client: Client;
  readonly database: Pick<Database, 'rows'>;
}

/**
 * What of an execution the tables must have: of one that goes on `part` is what there is, and `now` all that has happened, which
 * is waited for.
 */
export type Extent = 'closed' | 'part' | 'now';

/** Rows of an execution behind a position, at most so many. */
type ReadsRows = (ask: TableQuery, id: string, after: number, count: number) => Promise<readonly Row[]>;

/** Profiles whose rows the tables have, at the cost of a page; a cursor is an event's id there. */
const STORED_PROFILES = {
  canonical: {
    total: ({ total }: StoredExecution) => total,
    position: eventPosition,
    read: (async (...place) =>
      (await eventsAfter(...place)).map((event) => ({ ...event, ts: event.timestamp }))) satisfies ReadsRows,
  },
  noetl: {
    total: ({ rows }: StoredExecution) => rows,
    position: (_ask: TableQuery, _id: string, after: string) =>
      Promise.resolve(/^\d+$/.test(after) ? Number(after) : undefined),
    read: noetlRowsAfter as ReadsRows,
  },
};

/** As long as the projection takes for what has just happened; a short run is derived in less. Milliseconds. */
const NOW_MS = 600;
const LOOK_MS = 40;

export class StoredEvents {
  private constructor(
    private readonly source: Source,
    private readonly id: string,
    private readonly info: WorkflowExecutionDescription,
    private readonly stored: {
      readonly execution: StoredExecution;
      /** Nothing had happened that the tables lack. */
      readonly isWhole: boolean;
    },
  ) {}

  /**
   * Undefined if the tables do not have that, or do not answer.
   *
   * @param extent of one that goes on
   */
  static async of(
    source: Source,
    id: string,
    info: WorkflowExecutionDescription,
    extent: Extent = 'closed',
  ): Promise<StoredEvents | undefined> {
    const { runId, closeTime, historyLength } = info;
    if (!closeTime && extent === 'closed') return undefined;
    const run = { runId, closedAt: closeTime?.getTime() ?? null };
    for (const until = performance.now() + NOW_MS; ;) {
      const execution = await storedExecution(source.database.rows, id, run).catch(() => undefined);
      if (!execution) return undefined;
      const isWhole = closeTime !== undefined || (execution.read_length ?? 0) >= historyLength;
      if (isWhole || extent === 'part') return new StoredEvents(source, id, info, { execution, isWhole });
      if (!execution.is_framed || performance.now() > until) return undefined;
      await sleep(LOOK_MS);
    }
  }

  private get execution(): StoredExecution {
    return this.stored.execution;
  }

  get isWhole(): boolean {
    return this.stored.isWhole;
  }

  /** Of its events. */
  get total(): number {
    return this.execution.total;
  }

  private get isRunning(): boolean {
    return this.info.closeTime === undefined;
  }

  /** As the route sends it; undefined if the cursor is none of the profile's, or the tables do not have the whole page. */
  async page(
    profile: keyof typeof STORED_PROFILES,
    query: PageQuery & { readonly after?: string; readonly stored?: boolean },
  ): Promise<object | undefined> {
    const { id, execution } = this;
    const { rows } = this.source.database;
    const { total: totalOf, position, read } = STORED_PROFILES[profile];
    const first = query.after === undefined ? 0 : await position(rows, id, query.after);
    if (first === undefined) return undefined;
    const { page, page_size } = query;
    const total = totalOf(execution);
    const isPart = !this.isWhole && !query.stored;
    if (isPart && total <= first + page * page_size) return undefined;
    const pages = paginationOf(query, isPart ? null : total - first);
    const [after, last] = [first + (page - 1) * page_size, first + page * page_size];
    const some = await read(rows, id, after, Math.min(ROWS, page_size));
    // Positions have no gaps.
    const [end] = page_size <= ROWS ? some.slice(-1) : await read(rows, id, last - 1, 1);
    return {
      events: new JsonRows(this.rowsBetween(read, some, after, last)),
      pagination: { ...pages, next_cursor: pages.has_next ? (end?.['event_id'] ?? null) : null },
      ...(execution.divergence ? { divergence: execution.divergence } : {}),
    };
  }

  /** Events as the route sends them. @param first the portion behind `after` */
  private async *rowsBetween(
    read: ReadsRows,
    first: readonly Row[],
    after: number,
    last: number,
  ): AsyncGenerator<readonly string[], void> {
    let events = first;
    for (let seq = after; events.length > 0;) {
      await turn();
      yield events.map((event) => JSON.stringify(event));
      seq += events.length;
      const count = Math.min(ROWS, last - seq);
      events = count > 0 ? await read(this.source.database.rows, this.id, seq, count) : [];
    }
  }

  /** As the route of the detail sends it. @param summary of one that goes on: as it stands */
  async detail(query: DetailQuery, summary = this.summary()): Promise<object> {
    const { page, page_size, since: after = 0, type } = query;
    const { rows, total } = await newestRows(
      this.source.database.rows,
      this.id,
      { after, ...compact({ type }), skip: (page - 1) * page_size, count: page_size },
      this.execution.rows,
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
    const { result, error_detail: errorDetail } = execution;
    return {
      ...{ id, status, error, start, end, total, lastEventId, result: result ?? null },
      isRunning: this.isRunning,
      isWhole: this.isWhole,
      errorDetail,
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
      position: (eventId: string) => eventPosition(rows, id, eventId),
      rows: ({ after, count }: { after: number; count: number }) => rowsAfter(rows, id, after, count),
      variables: () => variableFacts(rows, id),
      detail: ({ query, summary }: { query: DetailQuery; summary: ExecutionDocument }) =>
        this.detail(query, summary),
    };
  }

  private summary(): ExecutionDocument {
    const { path, version, start, result, error, error_detail, ...row } = this.execution;
    const identity = executionIdentity(this.info);
    const status = row.status as ExecutionStatusWord;
    return {
      ...identity,
      catalog_id: identity.catalog_id ?? row.catalog_id,
      version: row.catalog_version ?? identity.version ?? version,
      path,
      status,
      ...timesOf(start, row.end ?? undefined, row.end ?? Date.now()),
      progress: 100,
      result: result ?? null,
      error: errorSentence(error_detail) ?? (status === 'CANCELLED' ? (error ?? 'cancelled') : null),
    };
  }
}
