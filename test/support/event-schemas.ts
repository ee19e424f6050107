/** JSON Schemas (draft 2020-12) of the rows of each profile: docs/reference/events, written from the specifications. */
import { CANONICAL_EVENT_TYPES, type ProfileName } from '../../src/history';
import { EXTENDED_NAMES, extendedName, FORMAL_TYPES, NOETL_TYPES } from '../../src/history/profiles';
import { type Json } from '../../src/language/plan';

const TEXT: Json = { type: 'string', minLength: 1 };
const TIME: Json = { type: 'string', format: 'date-time' };
const OBJECT: Json = { type: 'object' };
const COUNT: Json = { type: 'integer', minimum: 0 };
const SOURCE: Json = { enum: ['server', 'worker'] };
const enumOf = (values: readonly string[]): Json => ({ enum: [...values] });
const orNull = (type: string): Json => ({ type: [type, 'null'] });

const TYPES = Object.keys(CANONICAL_EVENT_TYPES);

interface EventSchema {
  readonly description: string;
  readonly properties: Readonly<Record<string, Json>>;
  readonly optional?: readonly string[];
}

const SCHEMAS: Readonly<Record<ProfileName, EventSchema>> = {
  canonical: {
    description: 'The canonical event: the superset of the envelopes of the specifications.',
    properties: {
      event_id: TEXT,
      event_type: enumOf(TYPES),
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
    optional: ['step_run_id', 'task_run_id', 'iteration', 'attempt', 'parent_id', 'duration_ms'],
  },
  formal: {
    description: 'The event of the formal specification.',
    properties: {
      event_id: TEXT,
      event_type: enumOf(FORMAL_TYPES),
      execution_id: TEXT,
      timestamp: TIME,
      entity_type: enumOf(['playbook', 'workflow', 'step', 'tool', 'loop', 'sink', 'retry', 'case']),
      entity_id: TEXT,
      status: enumOf(['in_progress', 'success', 'error', 'skipped']),
      payload: OBJECT,
    },
  },
  extended: {
    description: 'The event of the extended formal specification.',
    properties: {
      event_id: TEXT,
      execution_id: TEXT,
      timestamp: TIME,
      source: SOURCE,
      // The specified names, followed by our additions.
      name: enumOf([...new Set([...EXTENDED_NAMES, ...TYPES.map(extendedName)])]),
      alias: enumOf(['step.enter', 'call.done', 'call.error', 'step.exit']),
      entity: enumOf(['playbook', 'workflow', 'step', 'tool', 'loop', 'retry', 'sink']),
      entity_id: TEXT,
      status: enumOf(['in_progress', 'success', 'error', 'paused']),
      data: OBJECT,
    },
    optional: ['alias'],
  },
  noetl: {
    description: 'An event as the server of NoETL tells it.',
    properties: {
      execution_id: TEXT,
      event_id: { type: 'string', pattern: '^[1-9][0-9]*$' },
      event_type: enumOf(NOETL_TYPES),
      node_id: TEXT,
      node_name: TEXT,
      node_type: orNull('string'),
      status: enumOf(['STARTED', 'ENTERED', 'PENDING', 'COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED']),
      created_at: TIME,
      timestamp: TIME,
      context: OBJECT,
      result: {
        type: 'object',
        properties: { status: TEXT, context: OBJECT },
        required: ['status'],
        additionalProperties: false,
      },
      error: orNull('string'),
      catalog_id: orNull('string'),
      parent_execution_id: orNull('string'),
      parent_event_id: orNull('string'),
      duration: orNull('number'),
      meta: OBJECT,
    },
  },
};

export function eventSchema(name: ProfileName): Json {
  const { description, properties, optional = [] } = SCHEMAS[name];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `NoETL event, profile ${name}`,
    description,
    type: 'object',
    properties,
    required: Object.keys(properties).filter((key) => !optional.includes(key)),
    additionalProperties: false,
  };
}
