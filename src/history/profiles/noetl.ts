/** Profile `noetl`: rows as read by the official CLI and GUI. */
import { isMapping, type Json, type JsonObject } from '../../language/plan';
import { type CanonicalEvent } from '../events';
import { type Projection } from './profile';

const STATUS: Readonly<Record<CanonicalEvent['status'], string>> = {
  in_progress: 'RUNNING',
  success: 'COMPLETED',
  error: 'FAILED',
  skipped: 'SKIPPED',
  paused: 'PAUSED',
  cancelled: 'CANCELLED',
};

/** Events that later events name as their parent. */
const OPENS: Readonly<Record<string, (event: CanonicalEvent) => string | undefined>> = {
  'token.created': (event) => event.entity_id,
  'step.started': (event) => event.step_run_id,
  'task.started': (event) => event.task_run_id,
};
/** The last event that names a task run as its parent. */
const FORGETS = ['task.directive', 'task.retrying'];

/** Fields that say where a run comes from: a rerun has only the second. */
const BEGINS = { 'playbook.execution.requested': true, 'playbook.request.evaluated': true };

function originOf({ payload }: CanonicalEvent): JsonObject {
  const { catalog_id, caller } = payload;
  return {
    ...(typeof catalog_id === 'string' && { catalog_id }),
    ...(isMapping(caller) && { parent_execution_id: caller['execution_id'] as Json }),
  };
}

export function noetl(): Projection {
  const opened = new Map<string, string>();
  let first: string | undefined;
  const origin: { catalog_id: Json; parent_execution_id: Json } = {
    catalog_id: null,
    parent_execution_id: null,
  };
  return (event) => {
    if (event.event_type in BEGINS) Object.assign(origin, originOf(event));
    const opens = OPENS[event.event_type]?.(event);
    const parent = (event.parent_id === undefined ? undefined : opened.get(event.parent_id)) ?? first ?? null;
    first ??= event.event_id;
    if (opens !== undefined) opened.set(opens, event.event_id);
    if (event.task_run_id !== undefined && FORGETS.includes(event.event_type))
      opened.delete(event.task_run_id);
    const { outcome, result, error, ...context } = event.payload;
    const mapping = isMapping(outcome) ? outcome : undefined;
    return [
      {
        execution_id: event.execution_id,
        event_id: event.event_id,
        event_type: event.event_type,
        node_id: event.task_run_id ?? event.step_run_id ?? event.entity_id,
        node_name: nodeOf(event),
        status: STATUS[event.status],
        created_at: event.timestamp,
        timestamp: event.timestamp,
        context,
        result: (mapping ? mapping['result'] : result) ?? null,
        error: messageOf(error ?? mapping?.['error']),
        ...origin,
        parent_event_id: parent,
        // In milliseconds, as the official server writes it and the GUI expects.
        duration: event.duration_ms ?? null,
      },
    ];
  };
}

/** The step's display name. */
function nodeOf({ step_run_id, entity_id }: CanonicalEvent): string {
  return step_run_id === undefined ? entity_id : step_run_id.slice(0, step_run_id.lastIndexOf('#'));
}

function messageOf(error: unknown): string | null {
  if (isMapping(error))
    return typeof error['message'] === 'string' ? error['message'] : JSON.stringify(error);
  return typeof error === 'string' ? error : null;
}
