/**
 * Canonical events as emitted by the engine. src/history adds ids, timestamps, worker identity and the envelope
 * profiles: events are derived from history, never sent.
 */
import { type Json } from '../../../language/plan';
import { type Frame, type StepRun } from '../state';

/** Every event type the engine emits, and the component that is authoritative for it. */
export const EVENT_TYPES = {
  'playbook.execution.requested': 'server',
  'limit.queued': 'server',
  'limit.acquired': 'server',
  'limit.skipped': 'server',
  'limit.refused': 'server',
  'keychain.resolved': 'worker',
  'keychain.failed': 'worker',
  'playbook.request.evaluated': 'server',
  'playbook.started': 'server',
  'playbook.paused': 'server',
  'playbook.resumed': 'server',
  'playbook.cancel.requested': 'server',
  'playbook.cancelled': 'server',
  'playbook.processed': 'server',
  'workflow.started': 'server',
  'workflow.finished': 'server',
  'variables.set': 'server',
  'variables.deleted': 'server',
  'token.created': 'server',
  'token.enqueued': 'server',
  'token.claimed': 'server',
  'token.merged': 'server',
  'token.ended': 'server',
  'step.admitted': 'server',
  'step.skipped': 'server',
  'step.scheduled': 'server',
  'step.started': 'server',
  'step.log': 'worker',
  'step.note': 'server',
  'step.done': 'worker',
  'step.failed': 'worker',
  'loop.started': 'server',
  'loop.iteration.started': 'server',
  'loop.iteration.done': 'worker',
  'loop.iteration.failed': 'worker',
  'loop.done': 'worker',
  'loop.chunk.started': 'server',
  'loop.chunk.done': 'worker',
  'loop.chunk.failed': 'worker',
  'task.started': 'worker',
  'task.done': 'worker',
  'task.failed': 'worker',
  'task.retrying': 'worker',
  'task.directive': 'worker',
  'sink.started': 'worker',
  'sink.processed': 'worker',
  'case.started': 'server',
  'case.evaluated': 'server',
  'external.received': 'server',
  'external.dropped': 'server',
  'ctx.patched': 'server',
  'next.evaluated': 'server',
  'next.selected': 'server',
  'next.enqueued': 'server',
} as const satisfies Record<string, 'server' | 'worker'>;

export type EventType = keyof typeof EVENT_TYPES;
export type EventStatus = 'in_progress' | 'success' | 'error' | 'skipped' | 'paused' | 'cancelled';
/** The first word of an event type is its entity; variables are those of `ctx`. */
export type EntityType = Exclude<EventType extends `${infer Word}.${string}` ? Word : never, 'variables'>;

/** What an event refers to besides its entity. */
export type EventWhere = Pick<
  EngineEvent,
  'step_run_id' | 'task_run_id' | 'iteration' | 'attempt' | 'parent_id'
>;

/** Emits an event. The kind of its entity is the first word of the type. */
export type Emit = (
  type: EventType,
  entity: string,
  status: EventStatus,
  payload: EngineEvent['payload'],
  where?: EventWhere,
) => void;

export interface EngineEvent {
  readonly event_type: EventType;
  readonly entity_type: EntityType;
  readonly entity_id: string;
  readonly status: EventStatus;
  readonly step_run_id?: string;
  readonly task_run_id?: string;
  readonly iteration?: number;
  readonly attempt?: number;
  /** The step run, task run or token that caused this one. */
  readonly parent_id?: string;
  /** Set when it happened in an activity, while the machine was on lease; `at` in milliseconds since the epoch. */
  readonly within?: { readonly lease: string; readonly at: number };
  readonly payload: { readonly [key: string]: Json | undefined };
}

/** The complete event. */
export function engineEvent(
  ...[event_type, entity_id, status, payload, where]: Parameters<Emit>
): EngineEvent {
  const word = event_type.slice(0, event_type.indexOf('.'));
  const entity_type = (word === 'variables' ? 'ctx' : word) as EntityType;
  return { event_type, entity_type, entity_id, status, ...where, payload };
}

/** References for an event of a step run; `parent`: what caused the event. */
export function ofRun({ id }: Pick<StepRun, 'id'>, parent = id): EventWhere {
  return { step_run_id: id, parent_id: parent };
}

/** References for an event of one pass through the step's pipeline. */
export function ofFrame({ run, index }: Frame, parent = run): EventWhere {
  return { step_run_id: run, iteration: index ?? undefined, parent_id: parent };
}

/** References for an event of the current attempt. */
export function ofTask({ run, taskRunId, index, attempt }: Frame, parent = taskRunId!): EventWhere {
  const task_run_id = taskRunId ?? undefined;
  return { step_run_id: run, task_run_id, iteration: index ?? undefined, attempt, parent_id: parent };
}
