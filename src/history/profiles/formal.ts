/** Profile `formal`: exactly the envelope and the event types of the formal specification. */
import { compact } from '../../language/plan';
import { type CanonicalEvent } from '../events';
import { type Projection, Retries, type Row } from './profile';

/** The specified types, in their order. */
export const FORMAL_TYPES = [
  'playbook.execution.requested',
  'playbook.request.evaluated',
  'playbook.started',
  'workflow.started',
  'step.started',
  'step.finished',
  'tool.started',
  'tool.processed',
  'case.started',
  'case.evaluated',
  'next.evaluated',
  'loop.started',
  'loop.iteration.started',
  'loop.iteration.finished',
  'loop.finished',
  'retry.started',
  'retry.processed',
  'sink.started',
  'sink.processed',
  'workflow.finished',
  'playbook.processed',
] as const;
type FormalType = (typeof FORMAL_TYPES)[number];

const STATUSES = ['in_progress', 'success', 'error', 'skipped'];

/** Types whose names differ from the canonical ones; specified types not listed here keep their name. */
const RENAMED: Readonly<Record<string, FormalType>> = {
  'step.done': 'step.finished',
  'step.failed': 'step.finished',
  'step.skipped': 'step.finished',
  'task.started': 'tool.started',
  'task.done': 'tool.processed',
  'task.failed': 'tool.processed',
  'task.retrying': 'retry.started',
  'loop.iteration.done': 'loop.iteration.finished',
  'loop.iteration.failed': 'loop.iteration.finished',
  'loop.done': 'loop.finished',
};
const OWN: ReadonlySet<string> = new Set(FORMAL_TYPES);

export function formal(): Projection {
  const retries = new Retries();
  const openLoops = new Set<string>();
  return (event) => {
    const type = RENAMED[event.event_type] ?? (OWN.has(event.event_type) ? event.event_type : undefined);
    const rows: Row[] = [];
    const run = event.step_run_id ?? '';
    if (type === 'loop.started') openLoops.add(run);
    if (type === 'loop.finished') openLoops.delete(run);
    // A failed loop has no canonical event of its own: its step's failure reports it.
    if (event.event_type === 'step.failed' && openLoops.delete(run))
      rows.push(row(event, 'loop.finished', '/loop'));
    retries.begins(event);
    if (type !== undefined) rows.push(row(event, type as FormalType));
    if (retries.ends(event)) rows.push(row(event, 'retry.processed', '/retry'));
    return rows;
  };
}

/** @param suffix keeps the ids of two rows for one event distinct */
function row(event: CanonicalEvent, event_type: FormalType, suffix = ''): Row {
  const { step_run_id, task_run_id, iteration, attempt, duration_ms } = event;
  const correlation = { step_run_id, task_run_id, iteration, attempt, duration_ms };
  return {
    event_id: event.event_id + suffix,
    event_type,
    execution_id: event.execution_id,
    timestamp: event.timestamp,
    entity_type: entityOf(event_type),
    entity_id: event.entity_id,
    status: STATUSES.includes(event.status) ? event.status : 'error',
    payload: { ...event.payload, ...compact(correlation) },
  };
}

function entityOf(type: FormalType): string {
  const [entity] = type.split('.');
  return entity === 'next' ? 'step' : entity!;
}
