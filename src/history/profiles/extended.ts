/**
 * Profile `extended`: the envelope of the extended specification with its PascalCase names; `alias` is the event's name
 * in conditions.
 */
import { type CanonicalEvent, eventName } from '../events';
import { compact } from '../../language/plan';
import { type Projection, Retries, type Row } from './profile';

/**
 * The specified names; implementations may add others, so the remaining canonical fields are added under their own
 * names.
 */
export const EXTENDED_NAMES = [
  'PlaybookExecutionRequested',
  'PlaybookRequestEvaluated',
  'WorkflowStarted',
  'StepStarted',
  'NextEvaluated',
  'WorkflowFinished',
  'PlaybookPaused',
  'PlaybookProcessed',
  'ToolStarted',
  'ToolCompleted',
  'ToolErrored',
  'LoopStarted',
  'LoopIterationStarted',
  'LoopIterationCompleted',
  'RetryStarted',
  'RetryProcessed',
  'SinkStarted',
  'SinkProcessed',
  'CaseStarted',
  'CaseEvaluated',
] as const;

/** What the data plane reports in this specification. Here the engine decides some of it, which other profiles say. */
const OF_WORKERS: ReadonlySet<string> = new Set(
  EXTENDED_NAMES.filter((name) => /^(Tool|Loop|Retry|Sink|Case)/.test(name)),
);

const STATUSES = ['in_progress', 'success', 'error', 'paused'];

const RENAMED: Readonly<Record<string, string>> = {
  'step.done': 'StepCompleted',
  'step.failed': 'StepErrored',
  'task.started': 'ToolStarted',
  'task.done': 'ToolCompleted',
  'task.failed': 'ToolErrored',
  'task.retrying': 'RetryStarted',
  'loop.iteration.done': 'LoopIterationCompleted',
  'loop.iteration.failed': 'LoopIterationCompleted',
  'loop.done': 'LoopCompleted',
};
const ALIAS: Readonly<Record<string, string>> = {
  'step.started': 'step.enter',
  'task.done': 'call.done',
  'task.failed': 'call.error',
  'step.done': 'step.exit',
  'step.failed': 'step.exit',
};
/** Canonical entity types that the specification does not have. */
const ENTITY: Readonly<Record<string, string>> = {
  task: 'tool',
  next: 'step',
  case: 'step',
  token: 'workflow',
  ctx: 'workflow',
  keychain: 'workflow',
  external: 'workflow',
  limit: 'workflow',
};

export function extendedName(type: string): string {
  return RENAMED[type] ?? eventName(type);
}

export function extended(): Projection {
  const retries = new Retries();
  return (event) => {
    retries.begins(event);
    const own = row(event, extendedName(event.event_type), ALIAS[event.event_type]);
    return retries.ends(event)
      ? [own, { ...row(event, 'RetryProcessed'), event_id: `${event.event_id}/retry`, entity: 'retry' }]
      : [own];
  };
}

function row(event: CanonicalEvent, name: string, alias?: string): Row {
  const { step_run_id, task_run_id, iteration, attempt, parent_id, duration_ms } = event;
  const correlation = { step_run_id, task_run_id, iteration, attempt, parent_id, duration_ms };
  const { entity_type } = event;
  return {
    event_id: event.event_id,
    execution_id: event.execution_id,
    timestamp: event.timestamp,
    source: OF_WORKERS.has(name) ? 'worker' : event.source,
    name,
    ...compact({ alias }),
    entity: event.event_type === 'task.retrying' ? 'retry' : (ENTITY[entity_type] ?? entity_type),
    entity_id: event.entity_id,
    status: statusOf(event),
    data: { ...event.payload, ...compact(correlation) },
  };
}

function statusOf({ status }: CanonicalEvent): string {
  if (STATUSES.includes(status)) return status;
  return status === 'skipped' ? 'success' : 'error';
}
