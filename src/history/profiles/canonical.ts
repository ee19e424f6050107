/** Profile `canonical`, the default: the whole envelope (docs/design/history.md#profiles). */
import { CANONICAL_EVENT_TYPES } from '../events';
import { COUNT, OBJECT, enumOf, type Profile, schemaOf, SOURCE, TEXT, TIME } from './profile';

const OPTIONAL = ['step_run_id', 'task_run_id', 'iteration', 'attempt', 'parent_id', 'duration_ms'];

export const canonicalProfile: Profile = {
  name: 'canonical',
  // `ts` is the canonical specification's name for the time.
  project: () => (event) => [{ ...event, ts: event.timestamp }],
  schema: () =>
    schemaOf(
      'canonical',
      'The canonical event: the superset of the envelopes of the specifications.',
      {
        event_id: TEXT,
        event_type: enumOf(Object.keys(CANONICAL_EVENT_TYPES)),
        name: { type: 'string', pattern: '^[A-Z][A-Za-z]*$' },
        execution_id: { type: 'string', pattern: '^[0-9]+$' },
        timestamp: TIME,
        ts: TIME,
        seq: { type: 'integer', minimum: 1 },
        source: SOURCE,
        entity_type: TEXT,
        entity_id: TEXT,
        status: enumOf(['in_progress', 'success', 'error', 'skipped', 'paused', 'cancelled']),
        step_run_id: TEXT,
        task_run_id: TEXT,
        iteration: COUNT,
        attempt: { type: 'integer', minimum: 1 },
        trace_id: TEXT,
        parent_id: TEXT,
        duration_ms: { type: 'number', minimum: 0 },
        payload: OBJECT,
        meta: {
          type: 'object',
          properties: {
            occurred_at: TIME,
            history_event_id: { type: 'integer', minimum: 1 },
            engine_version: { type: 'integer', minimum: 1 },
            worker: TEXT,
            tries: { type: 'integer', minimum: 1 },
            scheduled_at: TIME,
            started_at: TIME,
          },
          required: ['history_event_id', 'engine_version'],
          additionalProperties: false,
        },
      },
      OPTIONAL,
    ),
};
