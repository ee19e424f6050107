/** Changes of an execution's row in noetl.execution, derived from its events. */
import { type CanonicalEvent, eventStep } from '../../../history';
import { compact, isMapping, type Json } from '../../../language/plan';
import { type EventItem } from '../sink';

/** Columns changed by events, with their types. */
export const EXECUTION_COLUMNS = {
  parent_execution_id: 'bigint',
  rerun_of: 'bigint',
  run_name: 'text',
  skipped: 'boolean',
  status: 'text',
  workload: 'jsonb',
  result: 'jsonb',
  error: 'text',
  error_detail: 'jsonb',
  start_time: 'timestamptz',
  end_time: 'timestamptz',
  duration: 'double precision',
  last_event_id: 'text',
  last_event_type: 'text',
  last_node_name: 'text',
} as const;

export type ExecutionChanges = { [K in keyof typeof EXECUTION_COLUMNS]?: unknown };

const ENDS: Partial<Record<CanonicalEvent['status'], string>> = {
  success: 'COMPLETED',
  error: 'FAILED',
  cancelled: 'CANCELLED',
};

const SAYS: Partial<Record<CanonicalEvent['event_type'], (event: CanonicalEvent) => ExecutionChanges>> = {
  'playbook.execution.requested': ({ timestamp, payload }) => ({
    status: 'RUNNING',
    start_time: timestamp,
    workload: payload['payload'] ?? null,
    parent_execution_id: isMapping(payload['caller']) ? payload['caller']['execution_id'] : null,
    rerun_of: isMapping(payload['rerun']) ? payload['rerun']['execution_id'] : null,
  }),
  'playbook.started': ({ payload }) => ({
    workload: payload['workload'] ?? null,
    ...compact({ run_name: payload['run_name'] }),
  }),
  'limit.skipped': () => ({ skipped: true }),
  'playbook.paused': () => ({ status: 'PAUSED' }),
  'playbook.resumed': () => ({ status: 'RUNNING' }),
  'workflow.finished': ({ status, timestamp, payload }) => ({
    status: ENDS[status] ?? 'FAILED',
    end_time: timestamp,
    result: payload['result'] ?? null,
    error: messageIn(payload['error']) ?? payload['reason'] ?? null,
    error_detail: payload['error'] ?? null,
  }),
  'playbook.processed': ({ duration_ms }) => ({
    duration: duration_ms === undefined ? null : duration_ms / 1000,
  }),
  // Its recorded end is superseded by the following run.
  'playbook.reset': () => ({
    status: 'RUNNING',
    end_time: null,
    duration: null,
    result: null,
    error: null,
    error_detail: null,
  }),
};

/** The accumulated changes of the events. */
export function executionChanges(events: readonly EventItem[]): ExecutionChanges {
  let changes: ExecutionChanges = {};
  for (const { event } of events) {
    changes = {
      ...changes,
      ...SAYS[event.event_type]?.(event),
      last_event_id: event.event_id,
      last_event_type: event.event_type,
      last_node_name: eventStep(event),
    };
  }
  return changes;
}

function messageIn(error: Json | undefined): unknown {
  return isMapping(error) ? error['message'] : error;
}
