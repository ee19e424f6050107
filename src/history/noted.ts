/** Fills in what a lean task did not record, from Temporal's data: attempt, times and worker of its outcome. */
import { compact, isMapping, type JsonObject } from '../language/plan';
import { type EngineEvent } from '../engine/machine';
import { type TaskFacts } from './inputs';

/**
 * Completes the metadata of the event's outcome if the task was recorded lean.
 *
 * @param at milliseconds since the epoch: when the task ended, unless its own activity says (`within`: that of a lease)
 */
export function withNoted<T extends Pick<EngineEvent, 'payload' | 'attempt'>>(
  event: T,
  executionId: string,
  at: number,
  { facts, within }: { readonly facts?: TaskFacts; readonly within?: TaskFacts },
): T {
  const { outcome } = event.payload;
  const meta = isMapping(outcome) ? outcome['meta'] : undefined;
  if (!isMapping(meta) || meta['not_recorded'] !== true) return event;
  const worker = (facts ?? within)?.identity;
  const iso = (ms: number): string => new Date(ms).toISOString();
  const noted: JsonObject = {
    attempt: event.attempt ?? 1,
    ...(facts?.startedAt !== undefined && { started_at: iso(facts.startedAt) }),
    ended_at: iso(facts?.settledAt ?? at),
    ...(facts && { duration_ms: facts.settledAt - (facts.startedAt ?? facts.scheduledAt) }),
    trace_id: executionId,
    ...compact({ worker }),
  };
  const whole = { ...(outcome as JsonObject), meta: { ...noted, ...(meta as JsonObject) } };
  return { ...event, payload: { ...event.payload, outcome: whole } };
}
