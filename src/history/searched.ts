import { type CanonicalEvent } from './events';

/** What a search of events looks in, in lower case: the type and the ids; an iteration as in `load#1[7]`. */
export function searchedText({
  event_type,
  entity_id,
  task_run_id,
  step_run_id,
  iteration,
}: Pick<CanonicalEvent, 'event_type' | 'entity_id' | 'task_run_id' | 'step_run_id' | 'iteration'>): string {
  const run = iteration === undefined ? step_run_id : `${step_run_id ?? ''}[${iteration}]`;
  return [event_type, entity_id, task_run_id, run].filter(Boolean).join(' ').toLowerCase();
}
