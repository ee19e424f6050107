/** Operations on an execution, at a port. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CanonicalEvent,
  type DecisionSelection,
  type Divergence,
  type Explanation,
  type ExecutionStanding,
} from '../../../history';
import {
  type EventFate,
  type ExternalEventSent,
  type UnservedQueue,
  type Verb,
  type WorkflowTaskTrouble,
} from '../../../temporal/client';
import { EnvironmentError, hasCode } from '../../../language/errors';
import { compact, isDrawn, type Json, type WaitForm, workflowId } from '../../../language/plan';
import { type EventsOptions } from '../../../api/execution';
import { type LogLine } from '../../../telemetry/logs';
import { UsageError } from '../../errors';
import { type Asking, ask, type StreamedEvent, stream } from '../port/ask';
import { type Port } from '../port';

/** Long enough for a facade to be replaced while an execution is followed. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 500;
const PAGE = 1000;
/** Events that are explained at once in this process: a second. */
export const EXPLAINED = 20_000;
/** Number of event ids remembered, because a resumed stream may repeat events. */
const REMEMBERED = 100_000;

/** The signal stops reading. */
type EventsAsked = EventsOptions & { readonly signal: AbortSignal };

/** A wait with a form. */
export interface RemoteQuestion {
  readonly step: string;
  readonly task_run_id: string;
  readonly until: string | null;
  readonly form: WaitForm;
}

/** Absent if there is one only. */
export interface WhichQuestion {
  readonly step?: string;
  readonly task_run_id?: string;
}

/** What a history does not have: queues without workers, in which tasks wait now. */
interface Now {
  readonly unserved: readonly UnservedQueue[];
}
export type StandingNow = ExecutionStanding & Now;
export type ExplanationNow = Explanation & Now;

export interface Steering {
  readonly reason?: string;
  /** cancel: detached children too. */
  readonly cascade?: boolean;
  /** cancel: terminates what does not end. */
  readonly force?: boolean;
}

/** What a history tells, in a file too. */
export type ReadableExecution = Pick<
  RemoteExecution,
  'status' | 'trouble' | 'lines' | 'events' | 'explanation' | 'stateAt' | 'divergence'
>;

/** @param name an execution id; of this process also a workflow id */
export async function executionAt(name: string, port: Port): Promise<RemoteExecution> {
  const id = await port.idOf(name).catch((error: unknown) => {
    throw inUsersWords(error, name, whereOf(port, HERE.reads));
  });
  return new RemoteExecution(name, id, port);
}

/**
 * All methods throw UsageError if there is no such execution or it refuses, and EnvironmentError for problems of
 * the environment: `EXECUTION_OVER`, `WORKER_SILENT`, `TEMPORAL_…`, `FACADE_…`.
 */
export class RemoteExecution {
  readonly execution_id: string;
  /** Null if only Temporal knows it, because the execution was started by another client. */
  readonly workflow_id: string | null;
  private readonly place: string;
  private diverged: Divergence | undefined;

  constructor(
    name: string,
    private readonly id: string,
    private readonly port: Port,
  ) {
    this.execution_id = name.replace(/^noetl-(?=\d+$)/, '');
    this.workflow_id = !/^\d+$/.test(name) ? name : isDrawn(name) ? null : workflowId(name);
    this.place = `/api/executions/${id}`;
  }

  /** Large variables are references at a facade. */
  status(): Promise<StandingNow> {
    return this.read(`${this.place}/progress${this.isHere ? '?full=true' : ''}`);
  }

  /** Why no worker continues it, if it is so. */
  async trouble(): Promise<WorkflowTaskTrouble | undefined> {
    const { workflow_task } = await this.read<{ workflow_task: WorkflowTaskTrouble | null }>(
      `${this.place}/workflow-task`,
    );
    return workflow_task ?? undefined;
  }

  /** @returns the execution ids of all affected executions, its own first; of `cancel` only */
  async steer(verb: Verb, body: Steering): Promise<readonly string[]> {
    const asking = { method: 'POST', body, headers: { prefer: 'respond-async' } } as const;
    const answer = await this.tell<{ cancelled_executions?: string[] }>(`${this.place}/${verb}`, asking);
    return answer.cancelled_executions ?? [];
  }

  /** `sent`: the server has it, but no worker has processed it yet. */
  async send({ id: event_id, ...event }: ExternalEventSent): Promise<EventFate> {
    const body = { execution_id: this.id, event_id, ...event };
    return (await this.tell<{ fate: EventFate }>('/api/events', { method: 'POST', body })).fate;
  }

  /** What it asks of people, the oldest first. */
  async questions(): Promise<RemoteQuestion[]> {
    const { waits } = await this.read<{ waits: (RemoteQuestion | { form: null })[] }>(`${this.place}/waits`);
    return waits.filter((one): one is RemoteQuestion => one.form !== null);
  }

  async answer(body: WhichQuestion & { readonly answer: Json }): Promise<{ fate: 'taken' | 'sent' }> {
    return await this.tell(`${this.place}/answer`, { method: 'POST', body });
  }

  /** @throws UsageError without a facade, whose address a link has */
  async answerLink(body: WhichQuestion): Promise<{ url: string; expires_at: string }> {
    if (this.isHere) throw new UsageError('--link needs a facade, whose address the link has: --server URL');
    return await this.tell(`${this.place}/answer-link`, { method: 'POST', body });
  }

  /** @returns the names that were set */
  async setVariables(variables: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    const asking = { method: 'POST', body: { variables } } as const;
    return (await this.tell<{ var_names: string[] }>(`/api/vars/${this.id}`, asking)).var_names;
  }

  /** Those that are not set are ignored. */
  async deleteVariables(names: readonly string[]): Promise<void> {
    const query = new URLSearchParams({ names: names.join(',') });
    await this.tell(`/api/vars/${this.id}?${query.toString()}`, { method: 'DELETE' });
  }

  /** Output of its tasks, in the order of storage; empty without log storage. */
  async *lines({ follow, signal }: EventsAsked): AsyncGenerator<readonly LogLine[]> {
    try {
      if (!follow) return yield* this.paged('logs?', ({ lines = [] }) => lines);
      for await (const { data } of this.streamed('logs', signal)) yield [JSON.parse(data) as LogLine];
    } catch (error) {
      if (!hasCode(error, 'NO_STORAGE')) throw error;
    }
  }

  /** Oldest first. */
  async *events({ follow, bodies = false, signal }: EventsAsked): AsyncGenerator<readonly CanonicalEvent[]> {
    if (!follow)
      return yield* this.paged(`events?profile=canonical&bodies=${bodies}&`, ({ events = [] }) => events);
    for await (const { data } of this.streamed(`events?profile=canonical&bodies=${bodies}`, signal))
      yield [JSON.parse(data) as CanonicalEvent];
  }

  /** Why it did what it did, with the lines of its playbook if available. */
  explanation({ step, at, after }: DecisionSelection): Promise<ExplanationNow> {
    const events = this.isHere ? EXPLAINED : undefined;
    const [from, to, most] = [after, at, events].map((number) => number?.toString());
    const query = new URLSearchParams(compact({ step, at: to, after: from, events: most }));
    return this.read(`${this.place}/explanation?${query.toString()}`);
  }

  /** The state after the event of that position. @throws UsageError if there is none */
  async stateAt(seq: number): Promise<object> {
    return await this.read<object>(`${this.place}/state?at=${seq}`).catch((error: unknown) => {
      if (!hasCode(error, 'EVENT_NOT_FOUND')) throw error;
      throw new UsageError(`--state-at ${seq}: ${error.message}`);
    });
  }

  /** Where this release diverges from the history read by `events`. */
  divergence(): Divergence | undefined {
    return this.diverged;
  }

  private get isHere(): boolean {
    return this.port.url === undefined;
  }

  private read<T>(path: string): Promise<T> {
    return this.orRefusal(ask<T>(this.port, path), HERE.reads);
  }

  private tell<T>(path: string, asking: Asking): Promise<T> {
    return this.orRefusal(ask<T>(this.port, path, asking), HERE.tells);
  }

  private orRefusal<T>(answer: Promise<T>, here: string): Promise<T> {
    return answer.catch((error: unknown) => {
      throw inUsersWords(error, this.id, whereOf(this.port, here));
    });
  }

  /** The rows of one page after the other. */
  private async *paged<Row>(
    page: string,
    rowsIn: (page: Page) => readonly Row[],
  ): AsyncGenerator<readonly Row[]> {
    for (let after: string | null = ''; after !== null;) {
      const query = new URLSearchParams({ page_size: String(PAGE), ...(after !== '' && { after }) });
      const answer: Page = await this.read<Page>(`${this.place}/${page}${query.toString()}`);
      this.diverged = answer.divergence;
      yield rowsIn(answer);
      after = answer.pagination.next_cursor;
    }
  }

  /** Server-sent events of a page of the execution, each once, across restarts of the facade. */
  private async *streamed(page: string, signal: AbortSignal): AsyncGenerator<StreamedEvent> {
    const { port, place } = this;
    const again = new Set<string>();
    let last: string | undefined;
    let since = performance.now();
    for (;;) {
      try {
        const headers = compact({ 'last-event-id': last });
        for await (const one of stream(port, `${place}/${page}`, headers, signal)) {
          since = performance.now();
          if (one.event === 'end') return;
          if (one.event === 'failure')
            throw new EnvironmentError('FACADE_FAILED', port.url ? `${port.url}: ${one.data}` : one.data);
          last = one.id;
          if (again.has(last)) continue;
          again.add(last);
          const [oldest] = again;
          if (again.size > REMEMBERED && oldest !== undefined) again.delete(oldest);
          yield one;
        }
        if (signal.aborted) return;
      } catch (error) {
        if (signal.aborted) return;
        const isAway = hasCode(error, 'FACADE_UNREACHABLE');
        if (!isAway || performance.now() - since > PATIENCE_MS || last === undefined)
          throw inUsersWords(error, this.id, whereOf(port, HERE.reads));
      }
      // The facade ended the stream or is briefly unavailable: the next stream continues after the last event.
      await sleep(PAUSE_MS);
    }
  }
}

/** What is said of an execution that is not here. */
const HERE = {
  reads: ' here, nor a file of that name',
  tells: ' on this server; `--data` or TEMPORAL_ADDRESS names another',
};

function whereOf({ url }: Port, here: string): string {
  return url === undefined ? here : ` at ${url}`;
}

interface Page {
  readonly lines?: readonly LogLine[];
  readonly events?: readonly CanonicalEvent[];
  readonly pagination: { readonly next_cursor: string | null };
  readonly divergence?: Divergence;
}

/** The same messages, whoever was asked. @param where there is no such execution */
function inUsersWords(error: unknown, id: string, where: string): unknown {
  if (hasCode(error, 'EXECUTION_NOT_FOUND')) return new UsageError(`there is no execution ${id}${where}`);
  if (!hasCode(error, 'EXECUTION_OVER')) return error;
  const { status } = error.details;
  const how = typeof status === 'string' ? ` (${status})` : '';
  return new EnvironmentError('EXECUTION_OVER', `execution ${id} has ended${how}`, [
    'It accepts no more requests; `noetl-temporal status` and `events` show how it ended.',
  ]);
}
