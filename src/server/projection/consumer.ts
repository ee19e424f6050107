/**
 * Follows the executions of a namespace for one sink: finds them through visibility, and visits each that has
 * events the sink lacks. A failed visit is retried later, and delays no other execution.
 *
 * Nothing is missed: in addition to running and recently closed executions, everything Temporal has is compared
 * with the cursors, at the start and every hour. So a consumer catches up after any downtime.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { hasCode, messageOf } from '../../language/errors';
import { isAborted, isTransient } from '../../temporal/client';
import { VisitBackoff } from './backoff';
import { type Cursors } from './cursors';
import { type Candidate, closedSince, describeRun, executionIdOfRun, listRuns, OPEN } from './discovery';
import { type ProjectionLeases } from './leases';
import { type DeliveryThreads, deliveryThreads } from './deriving/threads';
import { type Followed } from './followed';
import { type Sink } from './sink';
import { visitExecution } from './visit';
import { type ExecutionVisit, Visits } from './visits';

export interface ConsumerOptions {
  readonly client: Client;
  readonly sink: Sink;
  readonly cursors: Cursors;
  readonly leases: ProjectionLeases;
  /** Executions read concurrently. */
  readonly concurrency: number;
  /** Ends when everything available has been taken. */
  readonly once: boolean;
  /** Stops the consumer: batches in progress are completed, no more are started. */
  readonly signal: AbortSignal;
  /** By default threads of its own. */
  readonly threads?: DeliveryThreads;
  /** Called with problems as text, once per change. */
  readonly report: (line: string) => void;
}

export interface Consumed {
  /** Executions with new events taken. */
  readonly executions: number;
  readonly events: number;
  /** Executions that could not be taken, with the reason. */
  readonly failed: ReadonlyMap<string, string>;
}

/** The state of a consumer. */
export interface ConsumerStanding {
  /** `starting`: not yet connected; `away`: visibility or database unavailable, retrying. */
  readonly status: 'starting' | 'ok' | 'away';
  /** Taken since its start. */
  readonly executions: number;
  readonly events: number;
  /** Executions that fail and are retried. */
  readonly failing: number;
}

/** Interval between queries of visibility; longer if a query takes long. */
const LOOK_MS = 1_000;
/** However many there are, each is read every ten seconds. */
const MOST_SHARES = 10;
const FULL_LOOK_MS = 3_600_000;
const NOTE_LOOK_MS = 10_000;
/** Maximum delay of visibility. */
const OVERLAP_MS = 300_000;
const SAY_AGAIN_MS = 60_000;
/** An execution read by another consumer is skipped for this long, so that it does not occupy a slot here. */
const ELSEWHERE_MS = 3_000;
/** With `once`: attempts per execution. */
const TRIES = 3;

export class Consumer {
  private readonly visits: Visits;
  private readonly threads: DeliveryThreads;
  private readonly backoff = new VisitBackoff();
  private events = 0;
  private readonly failed = new Map<string, string>();
  /** Running executions read to their current end: length of their histories. */
  private readonly read = new Map<string, { runId: string; length: number }>();
  /** Running executions that gave way to others, and when it is their turn again. */
  private readonly turns = new Map<string, number>();
  /** Running executions at the last look. */
  private open = 0;
  /** Executions read by another consumer, and until when they are skipped. */
  private readonly elsewhere = new Map<string, number>();
  private executions = 0;
  private lastReport = { text: '', at: -Infinity };
  private hasLooked = false;
  private notedAt = -Infinity;
  private isAway = false;

  constructor(private readonly options: ConsumerOptions) {
    this.visits = new Visits(options.concurrency);
    this.threads = options.threads ?? deliveryThreads(options.client);
  }

  /** @throws with `once`, errors of visibility or of reading cursors */
  async run(): Promise<Consumed> {
    const { signal, once } = this.options;
    const leave = (): void => this.visits.leaveAll();
    signal.addEventListener('abort', leave);
    try {
      // Running executions first: one that closes meanwhile is then among the closed ones.
      if (once) await this.lookOnce();
      else
        await Promise.all([this.watch((signal) => this.lookAtOpen(signal)), this.watch(this.closedLook())]);
    } finally {
      if (!once) leave();
      await this.visits.allDone();
      this.threads.close();
      signal.removeEventListener('abort', leave);
    }
    return { executions: this.executions, events: this.events, failed: this.failed };
  }

  get standing(): ConsumerStanding {
    const { executions, events, failed } = this;
    const status = this.isAway ? 'away' : this.hasLooked ? 'ok' : 'starting';
    return { status, executions, events, failing: failed.size };
  }

  private async lookOnce(): Promise<void> {
    const { signal } = this.options;
    for (let attempt = 1; ; attempt++) {
      await this.lookAtOpen(signal);
      await this.lookAtClosed(signal);
      await this.visits.allDone();
      if (this.failed.size === 0 || attempt >= TRIES || signal.aborted) return;
      await sleep(attempt * 500, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Repeats the query, whatever happens to Temporal or the database meanwhile. */
  private async watch(look: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.options;
    for (let failures = 0; !signal.aborted;) {
      const began = performance.now();
      try {
        await look(signal);
        await this.noteLook();
        failures = 0;
        this.hasLooked = true;
        this.sayAway(undefined);
      } catch (error) {
        if (isAborted(error) && signal.aborted) return;
        failures += 1;
        this.sayAway(error);
      }
      const pause = Math.max(LOOK_MS * 2 ** Math.min(failures, 5), performance.now() - began);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  private async noteLook(): Promise<void> {
    if (performance.now() - this.notedAt < NOTE_LOOK_MS) return;
    this.notedAt = performance.now();
    await this.options.cursors.noteLook();
  }

  private sayAway(error: unknown): void {
    if (this.isAway === (error !== undefined)) return;
    this.isAway = error !== undefined;
    const who = isTransient(error) ? 'Temporal does not answer' : 'cannot look for executions';
    this.options.report(
      error === undefined ? 'continues' : `${who}, tried again until it does: ${firstLine(error)}`,
    );
  }

  private async lookAtOpen(signal: AbortSignal): Promise<void> {
    const seen = new Set<string>();
    for await (const page of listRuns(this.options.client, OPEN, signal)) {
      for (const run of page) {
        seen.add(run.workflowId);
        await this.consider(run);
      }
    }
    for (const entries of [this.read, this.turns])
      for (const id of entries.keys()) if (!seen.has(id)) entries.delete(id);
    this.open = seen.size;
  }

  /** All closed executions at first and every hour, otherwise the recently closed ones. */
  private closedLook(): (signal: AbortSignal) => Promise<void> {
    let full = -Infinity;
    let since: number | undefined;
    return async (signal) => {
      const began = Date.now();
      const isFull = performance.now() - full > FULL_LOOK_MS;
      await this.lookAtClosed(signal, isFull ? undefined : since);
      if (isFull) full = performance.now();
      since = began - OVERLAP_MS;
    };
  }

  private async lookAtClosed(signal: AbortSignal, since?: number): Promise<void> {
    const { client, cursors } = this.options;
    for await (const page of listRuns(client, closedSince(since), signal)) {
      const taken = await cursors.taken(page);
      for (const run of page) if (!taken.has(run.runId)) await this.consider(run);
    }
  }

  private async consider(run: Candidate): Promise<void> {
    const { client, once, signal } = this.options;
    const other = this.visits.get(run.workflowId);
    // Another run of the same workflow id; `once` has no later query, and every visit it waits for ends.
    if (other && once) await other.done;
    else if (other) return;
    if (!once && (this.backoff.isWaiting(run.workflowId) || isBefore(this.elsewhere, run.workflowId))) return;
    if (run.closedAt === undefined && isBefore(this.turns, run.workflowId)) return;
    const read = this.read.get(run.workflowId);
    if (read?.runId === run.runId && run.closedAt === undefined) {
      const { length } = await describeRun(client, run, signal);
      if (length === read.length) return this.leaveAlone(run.workflowId);
    }
    await this.visits.begin(run.workflowId, signal, (visit) => this.visit(run, visit));
  }

  /**
   * With more executions than are read at once, each is read less often: to read one again costs its whole history, and
   * takes from Temporal what it needs to let them go on.
   */
  private leaveAlone(workflowId: string): void {
    const shares = Math.min(this.open / this.options.concurrency, MOST_SHARES);
    if (shares > 1) this.turns.set(workflowId, performance.now() + shares * LOOK_MS);
  }

  private async visit(run: Candidate, visit: ExecutionVisit): Promise<void> {
    let execution: Followed | undefined;
    try {
      const { client } = this.options;
      const { signal } = visit.leave;
      if (run.closedAt !== undefined && (await describeRun(client, run, signal)).isLeftBehind) return;
      const executionId = await executionIdOfRun(client, run, signal);
      execution = { ...run, namespace: client.options.namespace, executionId };
      await this.underLease(execution, visit, run);
      this.backoff.forget(run.workflowId);
      this.failed.delete(executionId);
      this.failed.delete(run.workflowId);
    } catch (error) {
      if (visit.leave.signal.aborted || hasCode(error, 'SUPERSEDED')) return;
      await this.fail(run, execution, error);
    }
  }

  private async underLease(execution: Followed, visit: ExecutionVisit, run: Candidate): Promise<void> {
    const { leases, sink } = this.options;
    const release = await leases.take(`noetl:${sink.name}:${execution.executionId}`, () =>
      visit.leave.abort(),
    );
    if (!release) {
      this.elsewhere.set(execution.workflowId, performance.now() + ELSEWHERE_MS);
      return;
    }
    try {
      await this.readHistory(execution, visit, run);
    } finally {
      await release();
    }
  }

  private async readHistory(execution: Followed, visiting: ExecutionVisit, run: Candidate): Promise<void> {
    const { client, sink, cursors, once } = this.options;
    const { signal } = visiting.leave;
    const isOpen = run.closedAt === undefined;
    const follow = isOpen && !once;
    /** The visit must read this far before it may be interrupted in favour of others. */
    const now = follow ? (await describeRun(client, run, signal)).length : Infinity;
    let isFirst = true;
    const isOver = await visitExecution(execution, isOpen ? undefined : run.runId, {
      client,
      sink,
      cursors,
      threads: this.threads,
      follow,
      signal,
      isAtEnd: () => visiting.idleSince !== undefined,
      received: () => (visiting.idleSince = undefined),
      taken: (events, length) => {
        if (length >= now) visiting.idleSince = performance.now();
        this.events += events;
        void this.noteLook().catch(() => undefined);
        if (events > 0 && isFirst) {
          isFirst = false;
          this.executions += 1;
        }
        if (isOpen) this.read.set(run.workflowId, { runId: run.runId, length });
      },
    });
    if (isOver) this.read.delete(run.workflowId);
    else this.leaveAlone(run.workflowId);
  }

  private async fail(run: Candidate, execution: Followed | undefined, error: unknown): Promise<void> {
    const { cursors, sink, report } = this.options;
    const message = `${codeOf(error)}${firstLine(error)}`;
    const id = execution?.executionId ?? run.workflowId;
    this.backoff.fail(run.workflowId);
    if (this.failed.get(id) !== message && this.isNews(message))
      report(`${sink.name}: execution ${id}: ${message}`);
    this.failed.set(id, message);
    if (!execution) return;
    // Histories are immutable: one that is not a playbook's never will be, and one that is too large stays so.
    const endedAt = hasCode(error, 'HISTORY', 'DERIVATION_TOO_LARGE') ? run.closedAt : undefined;
    await cursors.fail(execution, message, endedAt).catch(() => undefined);
  }

  /** An unavailable destination fails every execution alike: reporting it once a minute is enough. */
  private isNews(message: string): boolean {
    const now = performance.now();
    const { text, at } = this.lastReport;
    if (text === message && now - at < SAY_AGAIN_MS) return false;
    this.lastReport = { text: message, at: now };
    return true;
  }
}

/** Entries that are over are forgotten. */
function isBefore(times: Map<string, number>, workflowId: string): boolean {
  const until = times.get(workflowId);
  if (until === undefined) return false;
  if (until > performance.now()) return true;
  times.delete(workflowId);
  return false;
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code !== '' ? `${code}: ` : '';
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n')[0]!;
}
