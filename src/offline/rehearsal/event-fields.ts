import { type EngineEvent } from '../../engine/machine';
import { compact, type Json } from '../../language/plan';
import { type Simulated } from '../drive';
import { type EventExpectation } from './format/rehearsal';

/** The fields of an event that identify its origin. */
export function eventFields(
  event: EngineEvent,
): Record<EventExpectation['fields'][number]['name'], Json | undefined> {
  const { entity_type, entity_id, step_run_id, iteration, attempt, status, payload } = event;
  const step =
    step_run_id?.slice(0, step_run_id.lastIndexOf('#')) ??
    (entity_type === 'step' ? entity_id : payload.step);
  return { step, task: entity_type === 'task' ? entity_id : undefined, iteration, attempt, status };
}

/** The fields of an error that rehearsals name, but its message. */
export function errorFields(error: NonNullable<Simulated['error']>): Readonly<Record<string, Json>> {
  const { code, kind, step, task, iteration, attempt, at } = error;
  return compact({ code, kind, step, task, iteration, attempt, line: at?.[0] }) as Record<string, Json>;
}
