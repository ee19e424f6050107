/**
 * Profile `extended`: the envelope of the extended specification with its PascalCase names; `alias` is the event's name
 * in conditions.
 */
import { CANONICAL_EVENT_TYPES, type CanonicalEvent, eventName } from '../events';
import { compact } from '../../language/plan';
import {
  OBJECT,
  enumOf,
  type Profile,
  type Projection,
  Retries,
  type Row,
  schemaOf,
  SOURCE,
  TEXT,
  TIME,
} from './profile';

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

const ENTITIES = ['playbook', 'workflow', 'step', 'tool', 'loop', 'retry', 'sink'] as const;
const STATUSES = ['in_progress', 'success', 'error', 'paused'];
const ALIASES = ['step.enter', 'call.done', 'call.error', 'step.exit'];

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

function projection(): Projection {
  const retries = new Retries();
  return (event) => {
    retries.begins(event);
    const own = row(event, RENAMED[event.event_type] ?? event.name, ALIAS[event.event_type]);
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

export const extended: Profile = {
  name: 'extended',
  project: projection,
  schema: () =>
    schemaOf(
      'extended',
      'The event of the extended formal specification.',
      {
        event_id: TEXT,
        execution_id: TEXT,
        timestamp: TIME,
        source: SOURCE,
        name: enumOf(names()),
        alias: enumOf(ALIASES),
        entity: enumOf(ENTITIES),
        entity_id: TEXT,
        status: enumOf(STATUSES),
        data: OBJECT,
      },
      ['alias'],
    ),
};

/** The specified names, followed by our additions. */
function names(): string[] {
  const ours = Object.keys(CANONICAL_EVENT_TYPES).map((type) => RENAMED[type] ?? eventName(type));
  return [...new Set([...EXTENDED_NAMES, ...ours])];
}
