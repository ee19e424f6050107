/** An execution accessed through a facade (`--server URL`): the same answers without a connection to Temporal. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CanonicalEvent, type Divergence } from '../../../history';
import { type EventFate, type ExternalEventSent, type WorkflowTaskTrouble } from '../../../temporal/client';
import { EnvironmentError, hasCode } from '../../../language/errors';
import { type FacadeAddress } from '../../../temporal/worker';
import { type LogLine } from '../../../telemetry/logs';
import { UsageError } from '../../errors';
import { type Asking, askServer, type StreamedEvent, streamServer } from '../remote/facade-client';
import { named } from '../named';
import {
  type EventsAsked,
  type ExplanationNow,
  type LinesAsked,
  type RemoteExecution,
  type StandingNow,
} from './execution';
import { compact } from '../../../language/plan';

/** Long enough for a facade to be replaced while an execution is followed. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 500;
const PAGE = 1000;
/** Number of event ids remembered, because a resumed stream may repeat events. */
const REMEMBERED = 100_000;

export function executionAtFacade(name: string, server: FacadeAddress): RemoteExecution {
  const id = named(name);
  const { execution_id } = id;
  const place = `/api/executions/${encodeURIComponent(execution_id)}`;
  const variables = `/api/vars/${encodeURIComponent(execution_id)}`;
  const ask = <T>(path: string, asking?: Asking): Promise<T> =>
    askServer<T>(server, path, asking).catch((error: unknown) => {
      throw inUsersWords(error, execution_id, server);
    });
  let divergence: Divergence | undefined;

  /** Server-sent events of a page of the execution, each once, across restarts of the facade. */
  async function* streamed(page: string, signal: AbortSignal): AsyncGenerator<StreamedEvent> {
    const again = new Set<string>();
    let last: string | undefined;
    let since = performance.now();
    for (;;) {
      try {
        const headers = compact({ 'last-event-id': last });
        for await (const one of streamServer(server, `${place}/${page}`, headers, signal)) {
          since = performance.now();
          if (one.event === 'end') return;
          if (one.event === 'failure')
            throw new EnvironmentError('FACADE_FAILED', `${server.url}: ${one.data}`);
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
          throw inUsersWords(error, execution_id, server);
      }
      // The facade ended the stream or is briefly unavailable: the next stream continues after the last event.
      await sleep(PAUSE_MS);
    }
  }

  async function* followed({ bodies, signal }: EventsAsked): AsyncGenerator<readonly CanonicalEvent[]> {
    for await (const { data } of streamed(`events?bodies=${bodies === true}`, signal))
      yield [JSON.parse(data) as CanonicalEvent];
  }

  async function* linesOf({ follow, signal }: LinesAsked): AsyncGenerator<readonly LogLine[]> {
    try {
      if (follow) for await (const { data } of streamed('logs', signal)) yield [JSON.parse(data) as LogLine];
      else
        for (let after: string | null = ''; after !== null;) {
          const query = new URLSearchParams({ page_size: String(PAGE), ...(after !== '' && { after }) });
          const page: LogPage = await ask<LogPage>(`${place}/logs?${query.toString()}`);
          yield page.lines;
          after = page.pagination.next_cursor;
        }
    } catch (error) {
      if (!(error instanceof EnvironmentError) || error.code !== 'NO_STORAGE') throw error;
    }
  }

  async function* paged({ bodies }: EventsAsked): AsyncGenerator<readonly CanonicalEvent[]> {
    for (let after: string | null = ''; after !== null;) {
      const query = new URLSearchParams({ page_size: String(PAGE), bodies: String(bodies === true) });
      if (after !== '') query.set('after', after);
      const page: Page = await ask<Page>(`${place}/events?${query.toString()}`);
      divergence = page.divergence;
      yield page.events;
      after = page.pagination.next_cursor;
    }
  }

  return {
    ...id,
    status: () => ask<StandingNow>(`${place}/progress`),
    trouble: async () =>
      (await ask<{ workflow_task: WorkflowTaskTrouble | null }>(`${place}/workflow-task`)).workflow_task ??
      undefined,
    async steer(verb, reason) {
      await ask(`${place}/${verb}`, { method: 'POST', body: { reason } });
    },
    async cancelFamily(reason) {
      const body = { reason, cascade: true };
      const answer = await ask<{ cancelled_executions: string[] }>(`${place}/cancel`, {
        method: 'POST',
        body,
      });
      return answer.cancelled_executions;
    },
    async forceFamily(request) {
      const body = { ...request, force: true };
      const cancelling = { method: 'POST', body } as const;
      return (await ask<{ cancelled_executions: string[] }>(`${place}/cancel`, cancelling))
        .cancelled_executions;
    },
    async send({ name: called, payload, id: event_id }: ExternalEventSent) {
      const body = { execution_id, name: called, payload, event_id };
      return (await ask<{ fate: EventFate }>('/api/events', { method: 'POST', body })).fate;
    },
    async setVariables(given) {
      const body = { variables: given };
      return (await ask<{ var_names: string[] }>(variables, { method: 'POST', body })).var_names;
    },
    async deleteVariables(names) {
      for (const one of names) {
        await askServer(server, `${variables}/${encodeURIComponent(one)}`, { method: 'DELETE' }).catch(
          (error: unknown) => {
            // Deleting a name that is not set is not an error.
            if (hasCode(error, 'VARIABLE_NOT_FOUND')) return;
            throw inUsersWords(error, execution_id, server);
          },
        );
      }
      return names;
    },
    lines: linesOf,
    events: (request) => (request.follow ? followed(request) : paged(request)),
    explanation: ({ step, at, after }) => {
      const numbers = { at: at?.toString(), after: after?.toString() };
      const query = new URLSearchParams(compact({ step, ...numbers }));
      return ask<ExplanationNow>(`${place}/explanation?${query.toString()}`);
    },
    stateAt: (seq) =>
      ask<object>(`${place}/state?at=${seq}`).catch((error: unknown) => {
        if (!hasCode(error, 'EVENT_NOT_FOUND')) throw error;
        throw new UsageError(`--state-at ${seq}: ${error.message}`);
      }),
    divergence: () => divergence,
  };
}

interface LogPage {
  readonly lines: readonly LogLine[];
  readonly pagination: { readonly next_cursor: string | null };
}

interface Page {
  readonly events: readonly CanonicalEvent[];
  readonly pagination: { readonly next_cursor: string | null };
  readonly divergence?: Divergence;
}

/** With the same messages as when Temporal is accessed directly. */
function inUsersWords(error: unknown, id: string, { url }: FacadeAddress): unknown {
  if (hasCode(error, 'EXECUTION_NOT_FOUND')) return new UsageError(`there is no execution ${id} at ${url}`);
  if (hasCode(error, 'EXECUTION_OVER')) {
    const { status } = error.details;
    const how = typeof status === 'string' ? ` (${status})` : '';
    return new EnvironmentError('EXECUTION_OVER', `execution ${id} has ended${how}`, [
      'It can no longer be controlled; use `noetl-temporal status` and `events` to see how it ended.',
    ]);
  }
  return error;
}
