/**
 * Profile `noetl`: events as NoETL's own server tells them, under their names and numbers. A *command* is what a run of a
 * step calls, or one iteration of its loop, or a claim of a cursor: it is issued once, however often its calls are tried again, and ends once.
 */
import { compact } from '../../language/plan';
import { type CanonicalEvent, type CanonicalEventType } from '../events';
import { type NoetlRow, playbookRow, STEP_ROW, Telling, WORKFLOW_ROW } from './noetl-telling';
import { type Projection } from './profile';

export const NOETL_TYPES = [
  ...['playbook.initialized', 'playbook.started', 'workflow.initialized', 'step.enter', 'command.issued'],
  ...['command.started', 'call.done', 'call.error', 'command.completed', 'command.failed', 'loop.done'],
  ...['step.skipped', 'step.exit', 'execution.cancelled', 'workflow.completed', 'workflow.failed'],
  ...['playbook.completed', 'playbook.failed', 'playbook.cancelled'],
] as const;

/** What each event is told as; others have no counterpart. */
const TELLS: Partial<Record<CanonicalEventType, (log: Telling, event: CanonicalEvent) => void>> = {
  'playbook.execution.requested': (log, { execution_id, entity_id: path, payload }) => {
    log.began(payload);
    const context = { execution_id, path, workload: payload['payload'] ?? {} };
    log.row('playbook.initialized', 'STARTED', { ...playbookRow(path), context });
  },
  // A rerun knows its version no earlier.
  'playbook.request.evaluated': (log, { payload }) => log.began(payload),
  'playbook.started': (log, { entity_id: path, payload }) => {
    const context = { path, workload: payload['workload'] ?? {} };
    log.row('playbook.started', 'STARTED', { ...playbookRow(path), context });
  },
  'workflow.started': (log) => log.row('workflow.initialized', 'STARTED', WORKFLOW_ROW),
  'step.started': (log, event) =>
    log.entered.set(event.step_run_id!, log.row('step.enter', 'ENTERED', STEP_ROW)),
  'loop.started': (log, event) => {
    if (event.task_run_id === undefined) log.loops.add(event.step_run_id!);
  },
  'task.started': (log, event) => log.called(event),
  'task.done': (log, event) => log.answered(event),
  'task.failed': (log, event) => log.answered(event),
  'task.directive': (log, event) => log.claimed(event),
  'loop.iteration.done': (log, event) => log.iterated(event),
  'loop.iteration.failed': (log, event) => log.iterated(event),
  'loop.done': (log, { task_run_id, step_run_id, payload }) => {
    const parent = log.entered.get(step_run_id!);
    if (task_run_id === undefined)
      log.row('loop.done', 'COMPLETED', { ...STEP_ROW, context: payload, parent });
  },
  'step.done': (log, event) => log.left(event, 'COMPLETED'),
  'step.failed': (log, event) => log.left(event, 'FAILED'),
  'step.skipped': (log, event) => {
    const parent = log.entered.get(event.step_run_id!);
    const context = compact({ reason: event.payload['reason'] });
    log.row('step.skipped', 'SKIPPED', { ...STEP_ROW, context, parent });
    // One that is not admitted was not entered.
    if (parent !== undefined) log.left(event, 'SKIPPED');
  },
  'playbook.cancelled': (log, { payload }) => {
    log.cut();
    const context = compact({ reason: payload['reason'] });
    log.row('execution.cancelled', 'CANCELLED', { node: ['cancel', 'cancel'], context });
  },
  'workflow.finished': (log, event) => log.finished(event),
  'playbook.processed': (log, { entity_id, duration_ms: duration }) => {
    const { word, about } = log.end;
    log.row(`playbook.${word}`, word.toUpperCase(), { ...about, ...playbookRow(entity_id), duration });
  },
};

/** As `noetl`, with where the result of each row is. */
export function noetlRows(): (event: CanonicalEvent) => readonly NoetlRow[] {
  const log = new Telling();
  return (event) => {
    const tell = TELLS[event.event_type];
    return tell ? log.during(event, tell) : [];
  };
}

export function noetl(): Projection {
  const rows = noetlRows();
  return (event) => rows(event).map(({ row }) => row);
}
