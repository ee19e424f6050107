/** The envelope of canonical events: the engine's event plus what only history knows. */
import { type EngineEvent, EVENT_TYPES, type EventType } from '../engine/machine';
import { type TaskFacts } from './inputs';
import { compact } from '../language/plan';

/** Events unknown to the engine: caused by Temporal. */
export const HISTORY_EVENT_TYPES = { 'playbook.reset': 'server' } as const;

export type CanonicalEventType = EventType | keyof typeof HISTORY_EVENT_TYPES;

/** Every canonical event type, and the component that is authoritative for it. */
export const CANONICAL_EVENT_TYPES: Readonly<Record<CanonicalEventType, 'server' | 'worker'>> = {
  ...EVENT_TYPES,
  ...HISTORY_EVENT_TYPES,
};

/** The envelope: the superset of the specified ones. */
export interface CanonicalEvent extends Omit<EngineEvent, 'event_type'> {
  readonly event_type: CanonicalEventType;
  /**
   * execution / ordinal of the Temporal run in its chain / history event id / ordinal: unique and stable. After a reset
   * the run part also contains the new run's id (`0~1f0c9a2b`).
   */
  readonly event_id: string;
  /** PascalCase alias of `event_type`. */
  readonly name: string;
  readonly execution_id: string;
  /** RFC 3339, milliseconds. Never before that of the event before it: see `occurredAt`. */
  readonly timestamp: string;
  /** Position in the execution, from 1. */
  readonly seq: number;
  readonly source: 'server' | 'worker';
  readonly trace_id: string;
  /** Duration in milliseconds of what this event ends; a task's is measured from its start on a worker. */
  readonly duration_ms?: number;
  readonly meta: EventMeta;
}

export interface EventMeta {
  /** RFC 3339: when it happened, if that was before the timestamp of an event that is listed earlier. */
  readonly occurred_at?: string;
  /** The workflow task that produced the event: the id of its WorkflowTaskStarted. */
  readonly history_event_id: number;
  readonly engine_version: number;
  /** Identity of the worker that ran the task. */
  readonly worker?: string;
  /** Temporal's own attempt: above 1 after a worker crash. */
  readonly tries?: number;
  /** RFC 3339: when Temporal scheduled the task, and when a worker started it. */
  readonly scheduled_at?: string;
  readonly started_at?: string;
}

/** The position of an event. */
interface Place {
  readonly executionId: string;
  /** Ordinal of the Temporal run in its chain. */
  readonly line: string;
  readonly eventId: number;
  readonly ordinal: number;
  readonly seq: number;
  readonly engineVersion: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The timestamp of the event before it. */
  readonly latest: number;
}

/**
 * Puts an event into its envelope.
 *
 * @param facts of the task run that it ends
 * @param within the activity in which it happened, together with others (`exec: local`)
 */
export function envelope(
  event: Omit<EngineEvent, 'event_type'> & { event_type: CanonicalEventType },
  place: Place,
  facts?: TaskFacts,
  within?: TaskFacts,
): CanonicalEvent {
  const { event_type, ...rest } = event;
  const isWork = CANONICAL_EVENT_TYPES[event_type] === 'worker';
  const ran = facts ?? (isWork ? within : undefined);
  const at = facts?.settledAt ?? place.at;
  const duration = facts ? facts.settledAt - (facts.startedAt ?? facts.scheduledAt) : durationIn(event);
  return {
    event_id: `${place.executionId}/${place.line}/${place.eventId}/${place.ordinal}`,
    event_type,
    name: eventName(event_type),
    execution_id: place.executionId,
    timestamp: rfc3339(Math.max(at, place.latest)),
    seq: place.seq,
    source: CANONICAL_EVENT_TYPES[event_type],
    trace_id: place.executionId,
    ...rest,
    ...compact({ duration_ms: duration }),
    meta: {
      history_event_id: place.eventId,
      ...(at < place.latest ? { occurred_at: rfc3339(at) } : {}),
      engine_version: place.engineVersion,
      ...(ran?.identity ? { worker: ran.identity } : {}),
      ...(ran ? { tries: ran.tries } : {}),
      ...(facts ? { scheduled_at: rfc3339(facts.scheduledAt) } : {}),
      ...(facts?.startedAt === undefined ? {} : { started_at: rfc3339(facts.startedAt) }),
    },
  };
}

/**
 * Milliseconds since the epoch. Events are in causal order: what ended side by side, or in another process, may have
 * happened before what is listed earlier.
 */
export function occurredAt({ timestamp, meta }: Pick<CanonicalEvent, 'timestamp' | 'meta'>): number {
  return Date.parse(meta.occurred_at ?? timestamp);
}

/** The engine measures what it ends itself. */
function durationIn(event: { payload: EngineEvent['payload'] }): number | undefined {
  const { duration_ms } = event.payload;
  return typeof duration_ms === 'number' ? duration_ms : undefined;
}

function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}

const names = new Map<string, string>();

/** `loop.iteration.done` → `LoopIterationDone` */
export function eventName(type: string): string {
  let name = names.get(type);
  if (name === undefined) {
    name = type
      .split('.')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join('');
    names.set(type, name);
  }
  return name;
}
