import { type EngineEvent } from '../../engine/machine';
import { type Json } from '../../language/plan';
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
