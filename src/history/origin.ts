/** Where an execution comes from, as the first event of its history says. */
import {
  isMapping,
  type Json,
  type JsonObject,
  type RunLabels,
  labelsIn,
  type ScheduleMemo,
  SEARCH_ATTRIBUTES,
  type TriggerMemo,
} from '../language/plan';
import { type HistoryEvent } from './event';

export interface ExecutionOrigin {
  /** The workflow at the root of its tree: itself, the execution that called its caller, or a schedule's workflow. */
  readonly rootWorkflowId: string;
  /** The schedule that started it. */
  readonly schedule?: ScheduleMemo;
  /** The message that started it. */
  readonly trigger?: TriggerMemo;
  /** Those of its playbook among them. */
  readonly labels?: RunLabels;
  /** All that its start notes for lists. */
  readonly memo: Readonly<JsonObject>;
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
  const {
    rootWorkflowExecution: root,
    memo: noted,
    searchAttributes,
  } = event.workflowExecutionStartedEventAttributes ?? {};
  const memo: JsonObject = {};
  for (const [name, payload] of Object.entries(noted?.fields ?? {}))
    if (name.startsWith('noetl_')) memo[name] = (await decode([payload]))[0] as Json;
  const labels = searchAttributes?.indexedFields?.[SEARCH_ATTRIBUTES.labels];
  const [pairs] = labels ? await decode([labels]) : [];
  const { noetl_schedule: schedule, noetl_trigger: trigger } = memo as Record<string, unknown>;
  return {
    rootWorkflowId: root?.workflowId || workflowId,
    memo,
    ...(Array.isArray(pairs) && { labels: labelsIn(pairs as string[]) }),
    ...(isMemo(schedule) && { schedule }),
    ...(isMapping(trigger) && { trigger: trigger as unknown as TriggerMemo }),
  };
}

/** Written by our own workflow (workflows/scheduled.ts). */
function isMemo(value: unknown): value is ScheduleMemo {
  return isMapping(value) && typeof value['schedule'] === 'string';
}
