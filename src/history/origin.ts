/** Where an execution comes from, as the first event of its history says. */
import { isMapping, type ScheduleMemo } from '../language/plan';
import { type HistoryEvent } from './event';

export interface ExecutionOrigin {
  /** The workflow at the root of its tree: itself, the execution that called its caller, or a schedule's workflow. */
  readonly rootWorkflowId: string;
  /** The schedule that started it. */
  readonly schedule?: ScheduleMemo;
}

type Payloads = NonNullable<
  NonNullable<HistoryEvent['workflowExecutionStartedEventAttributes']>['input']
>['payloads'];

/** @param workflowId its own, for servers that do not record the root */
export async function executionOrigin(
  event: HistoryEvent,
  workflowId: string,
  decode: (payloads: Payloads) => Promise<readonly unknown[]>,
): Promise<ExecutionOrigin> {
  const { rootWorkflowExecution: root, memo } = event.workflowExecutionStartedEventAttributes ?? {};
  const payload = memo?.fields?.['noetl_schedule'];
  const [memoed] = payload ? await decode([payload]) : [];
  return {
    rootWorkflowId: root?.workflowId || workflowId,
    ...(isMemo(memoed) && { schedule: memoed }),
  };
}

/** Written by our own workflow (workflows/scheduled.ts). */
function isMemo(value: unknown): value is ScheduleMemo {
  return isMapping(value) && typeof value['schedule'] === 'string';
}
