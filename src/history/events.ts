/**
 * The canonical events of a run, derived from its history: the same events with the same ids whenever and wherever
 * they are computed (DESIGN.md sections 1 and 3).
 */
import { type EngineEvent, EVENT_TYPES, Machine, type State } from '../engine';
import { executionIdOf } from '../plan';
import { type Recorded, type TaskFacts, type Window } from './inputs';

/** The envelope: the superset of the specified ones (S1 §12.1, S2 §9.1, S3 §9.3). */
export interface CanonicalEvent extends EngineEvent {
  /** execution / ordinal of the Temporal run in its chain / history event id / ordinal: never collides, never changes. */
  readonly event_id: string;
  /** PascalCase alias of `event_type`. */
  readonly name: string;
  readonly execution_id: string;
  /** RFC 3339, milliseconds. */
  readonly timestamp: string;
  readonly seq: number;
  readonly source: 'server' | 'worker';
  readonly trace_id: string;
  readonly duration_ms?: number;
  readonly meta: {
    readonly history_event_id: number;
    readonly engine_version: number;
    readonly worker?: string;
    readonly tries?: number;
  };
}

/** Derives the events of one Temporal run, and the state it ends in. `chain` is its ordinal among its continuations. */
export function eventsOf(
  recorded: Recorded,
  chain = 0,
  firstSeq = 1,
): { events: CanonicalEvent[]; state: State } {
  const { input } = recorded;
  const id = input.state?.executionId ?? executionIdOf(recorded.workflowId) ?? recorded.workflowId;
  const machine = input.state
    ? Machine.from(input.plan, structuredClone(input.state))
    : Machine.create(input.plan, id);
  const { engineVersion } = input.plan;
  const events: CanonicalEvent[] = [];
  for (const window of recorded.windows) {
    const applied = machine.apply(window.batch);
    for (const [ordinal, event] of applied.events.entries()) {
      events.push(
        envelope(event, window, { id, chain, ordinal, seq: firstSeq + events.length, engineVersion }),
      );
    }
  }
  return { events, state: machine.state };
}

function envelope(
  event: EngineEvent,
  window: Window,
  place: { id: string; chain: number; ordinal: number; seq: number; engineVersion: number },
): CanonicalEvent {
  const facts = event.task_run_id === undefined ? undefined : window.tasks.get(event.task_run_id);
  const settled = event.event_type === 'task.done' || event.event_type === 'task.failed';
  return {
    event_id: `${place.id}/${place.chain}/${window.eventId}/${place.ordinal}`,
    name: nameOf(event.event_type),
    execution_id: place.id,
    timestamp: new Date(settled && facts ? facts.settledAt : window.batch.at).toISOString(),
    seq: place.seq,
    source: EVENT_TYPES[event.event_type],
    trace_id: place.id,
    ...event,
    ...(settled && facts ? { duration_ms: durationOf(facts) } : {}),
    meta: {
      history_event_id: window.eventId,
      engine_version: place.engineVersion,
      ...(settled && facts ? { worker: facts.identity, tries: facts.tries } : {}),
    },
  };
}

function durationOf(facts: TaskFacts): number {
  return facts.settledAt - (facts.startedAt ?? facts.scheduledAt);
}

/** `loop.iteration.done` → `LoopIterationDone` */
function nameOf(type: string): string {
  return type
    .split('.')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
