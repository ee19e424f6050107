/**
 * Where a real playbook's run differs from what was observed of its twin of the generation `current`, and why: either
 * docs/design wins over the throw-away runner that observed it, or the twin is written differently.
 */
import { type Expectation } from './conformance';

export interface Difference extends Partial<Expectation> {
  readonly why: string;
  /** It does not complete: what its failure says. */
  readonly fails?: RegExp;
}

const httpStored = {
  status_code: 200,
  data: { json: { test: 'http_storage', message: 'HTTP storage delegation working' } },
};

const saved = {
  string_field: 'test_value',
  number_field: 42,
  nested_object: { key1: 'value1', key2: 'value2' },
  array_field: [1, 2, 3, 4, 5],
};

/** Of one generation, or, without one, of all that have the file. */
const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'control_flow_workbook/control_flow_workbook.yaml': {
    why: 'the branches of a fork merge, `end` runs once',
    steps_executed: ['start', 'eval_flag', 'hot_path', 'hot_task_a', 'hot_task_b', 'end'],
  },
  'retry_test/http_retry_status_code.yaml': {
    why: "a response passed on is what the tool gave, and the body; the envelope's status is no part of it",
    results_last_steps: { end: { status: 'complete' } },
  },
  'save_storage_test/save_delegation_test.yaml': {
    why: "a response passed on is what the tool gave, and the body; the envelope's status is no part of it",
    results_last_steps: { http_test: httpStored, end: { status: 'complete' } },
  },

  'v10/json_serialization_save/json_serialization_save.yaml': {
    why: 'its rule stores what stands below `data`; that of the twin all of the result',
    ctx: { json_data: saved },
    results_last_steps: {
      verify_save: { row_count: 1, rows: [{ id: 1, payload: saved }] },
      end: { status: 'complete' },
    },
  },
  'v10/test_end_with_action.yaml': { why: 'its arc passes args instead of writing ctx', ctx: {} },

  'early/test_end_with_action.yaml': { why: 'its rule passes args instead of writing ctx', ctx: {} },
  'early/hello_world/hello_world.yaml': {
    why: 'its code says `success` where the twin says `ok`',
    results_last_steps: {
      test_step: { status: 'success', data: { message: 'Hello World' } },
      end: { status: 'complete' },
    },
  },
  'early/json_serialization_save/json_serialization_save.yaml': {
    why: 'a sink stores what the step returned; the twin carries it in ctx to a step that stores it',
    ctx: {},
    results_last_steps: {
      verify_save: { row_count: 1, rows: [{ id: 1, payload: saved }] },
      end: { status: 'complete' },
    },
  },
  'early/save_storage_test/save_simple_test.yaml': {
    why: 'sinks store what Python steps returned; in the twin the steps store it themselves',
    results_last_steps: {
      postgres_flat_test: { data: { record_id: 100 } },
      end: { status: 'success', data: { message: 'All save storage tests completed successfully' } },
    },
  },
  'early/save_storage_test/save_delegation_test.yaml': {
    why: 'sinks store what Python steps returned, and there is no step `end`',
    steps_executed: [
      'start',
      'create_tables',
      'truncate_tables',
      'event_test',
      'postgres_test',
      'duckdb_test',
      'http_test',
    ],
    results_last_steps: { http_test: { test: 'http_storage', message: 'HTTP storage delegation working' } },
  },
  'early/pagination/retry/test_pagination_retry.yaml': {
    why: 'one step calls its tool again and again; the twin is a cycle of steps',
    steps_executed: ['start', 'fetch_with_retry', 'validate_results', 'end'],
    ctx: {},
    results_last_steps: {
      validate_results: { status: 'success', total_items: 35, retry_worked: true },
      end: { status: 'complete' },
    },
  },
  'early/pagination/loop_with_pagination/test_loop_with_pagination.yaml': {
    why: 'one loop turns the pages by retry and stores them by sinks; the twin is two cycles of steps',
    steps_executed: ['start', 'fetch_all_endpoints', 'validate_results', 'check_results', 'end'],
    ctx: {},
  },
  'early/pagination/offset/test_pagination_offset.yaml': {
    why: 'the code of its last step is no Python (a stray indent); all before it is as it should be',
    fails: /^end\/end_task: IndentationError: unexpected indent/,
    steps_executed: ['start', 'fetch_all_users', 'validate_results', 'end'],
    ctx: {},
    results_last_steps: { validate_results: { status: 'success', total_users: 35 } },
  },
  'early/data_transfer/http_iterator_save_postgres/http_iterator_save_postgres.yaml': {
    why: 'in `vars`, `result` of a query is its rows; its code expects the mapping with `command_0` around them',
    fails: /^validate_data\/validate_data_task: AttributeError: 'list' object has no attribute 'get'/,
    steps_executed: [
      'start',
      'create_table',
      'fetch_weather_data',
      'verify_results',
      'show_details',
      'validate_data',
    ],
    ctx: { verify_results: [{ total_records: 3, unique_cities: 3 }] },
    results_last_steps: {
      show_details: {
        rows: [{ city_name: 'Berlin' }, { city_name: 'London' }, { city_name: 'Paris' }],
      },
    },
  },
};

export function differenceOf(generation: string, file: string): Difference | undefined {
  return DIFFERENCES[`${generation}/${file}`] ?? DIFFERENCES[file];
}
