/** The history of a run whose loop does nothing, many times: a few events of Temporal's, and hundreds of thousands of ours. */
import { type Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { historyFromJSON, historyToJSON, payloadToJSON } from '@temporalio/common/lib/proto-utils';
import { type temporal } from '@temporalio/proto';
import { plainConverter } from '../../src/storage/codec';
import { type HistoryEvent, eventMillis } from '../../src/history';
import { compile, formatDiagnostics } from '../../src/language/dsl';
import { type Input, Machine } from '../../src/engine/machine';
import { type Plan } from '../../src/language/plan';

export const EXECUTION = '384033828710553381';
const RUN = '0f9d6b6e-5d6c-4d8c-9a5e-6a1c5b0d2f11';
const START = Date.UTC(2026, 0, 1);

/**
 * @param tasks of an iteration
 * @param executor as YAML
 */
export function loopPlan(iterations: number, tasks = 1, executor = '{}'): Plan {
  const tool =
    tasks === 1
      ? '{kind: noop}'
      : `[${Array.from({ length: tasks }, (_, n) => `{name: t${n}, kind: noop}`).join(', ')}]`;
  const source = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: many, path: test/many}
executor: ${executor}
workflow:
  - step: start
    loop: {in: "{{ range(${iterations}) | list }}", iterator: i}
    tool: ${tool}
`;
  const { plan, diagnostics } = compile(source, { file: 'many.yaml' });
  if (!plan) throw new Error(formatDiagnostics(diagnostics, source));
  return plan;
}

/** As many workflow tasks as the engine takes; a few for hundreds of thousands of iterations. */
export function loopHistory(iterations: number, tasks = 1, executor?: string): readonly HistoryEvent[] {
  const plan = loopPlan(iterations, tasks, executor);
  const events: object[] = [];
  const write = (eventType: string, attributes: object): string => {
    const n = events.length;
    const eventTime = new Date(START + n * 100).toISOString();
    events.push({ eventId: String(n + 1), eventTime, eventType: `EVENT_TYPE_${eventType}`, ...attributes });
    return String(n + 1);
  };
  write('WORKFLOW_EXECUTION_STARTED', {
    workflowExecutionStartedEventAttributes: {
      workflowType: { name: 'playbook' },
      input: { payloads: [payloadToJSON(defaultPayloadConverter.toPayload(plan))] },
      originalExecutionRunId: RUN,
      firstExecutionRunId: RUN,
      workflowId: `noetl-${EXECUTION}`,
    },
  });
  const machine = Machine.create(plan, EXECUTION);
  for (let inputs: readonly Input[] = [{ type: 'started', payload: {} }]; inputs.length > 0;) {
    const scheduledEventId = write('WORKFLOW_TASK_SCHEDULED', { workflowTaskScheduledEventAttributes: {} });
    const at = START + events.length * 100;
    const startedEventId = write('WORKFLOW_TASK_STARTED', {
      workflowTaskStartedEventAttributes: { scheduledEventId },
    });
    const workflowTaskCompletedEventId = write('WORKFLOW_TASK_COMPLETED', {
      workflowTaskCompletedEventAttributes: { scheduledEventId, startedEventId },
    });
    // The loop does nothing that takes time; a batch that was too long goes on after a timer.
    const timers = machine.advance({ at, inputs }).filter((command) => command.type === 'startTimer');
    inputs = timers.map(({ key }): Input => ({ type: 'timerFired', key }));
    for (const { key } of timers) {
      const timerId = String(events.length);
      const summary = payloadToJSON(defaultPayloadConverter.toPayload(key));
      const startedEventId = write('TIMER_STARTED', {
        timerStartedEventAttributes: { timerId, workflowTaskCompletedEventId },
        userMetadata: { summary },
      });
      write('TIMER_FIRED', { timerFiredEventAttributes: { timerId, startedEventId } });
    }
    if (machine.status === 'completed')
      write('WORKFLOW_EXECUTION_COMPLETED', {
        workflowExecutionCompletedEventAttributes: { workflowTaskCompletedEventId },
      });
  }
  return historyFromJSON({ events }).events!;
}

/** As a file of `temporal workflow show`. */
export function loopHistoryText(iterations: number): string {
  return historyToJSON({ events: [...loopHistory(iterations)] });
}

/** A client that has this one execution. `asked` counts how often its history was read. */
export function clientWith(events: readonly HistoryEvent[]): { client: Client; asked: { count: number } } {
  const asked = { count: 0 };
  const started = events[0]!.workflowExecutionStartedEventAttributes!;
  const closed = eventMillis(events.at(-1)!.eventTime);
  const describe = () =>
    Promise.resolve({
      workflowId: started.workflowId,
      runId: started.originalExecutionRunId,
      type: 'playbook',
      status: { code: 2, name: 'COMPLETED' },
      startTime: new Date(eventMillis(events[0]!.eventTime)),
      closeTime: new Date(closed),
      historyLength: events.length,
      memo: {},
      typedSearchAttributes: { get: () => undefined },
      raw: {},
    });
  const getWorkflowExecutionHistory = ({
    maximumPageSize,
  }: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest) => {
    if (maximumPageSize === 1) return Promise.resolve({ history: { events: events.slice(0, 1) } });
    asked.count++;
    return Promise.resolve({ history: { events } });
  };
  const client = {
    options: { namespace: 'default', loadedDataConverter: plainConverter },
    connection: {
      ensureConnected: () => Promise.resolve(),
      withAbortSignal: (_: unknown, f: () => unknown) => f(),
    },
    workflow: { getHandle: () => ({ describe }) },
    workflowService: { getWorkflowExecutionHistory },
    withAbortSignal: (_: unknown, f: () => unknown) => f(),
  };
  return { client: client as unknown as Client, asked };
}
