/** What goes into the tables, without a database: rows of events, changes of executions, variables. */
import path from 'node:path';
import fc from 'fast-check';
import { type CanonicalEvent, Derivation, historyFile, noetlRows } from '../../../history';
import { type Json, type JsonObject, type Plan } from '../../../language/plan';
import { type EventItem } from '../sink';
import { columnsOf, eventRow, payloadOf } from './event-row';
import { noetlColumns } from './noetl-row';
import { executionChanges } from './execution-row';
import { jsonText } from './json-text';
import { storedEvent } from './stored-events';
import { variableChanges } from './variables';

const HISTORIES = path.resolve(__dirname, '../../../../test/histories/0.1.0');
const stored = <T>(value: T): T => JSON.parse(jsonText(value)) as T;

async function toldIn(name: string): Promise<EventItem[]> {
  const derivation = new Derivation();
  const rowsOf = noetlRows();
  const told: EventItem[] = [];
  for await (const page of historyFile(path.join(HISTORIES, `${name}.json`)))
    for (const event of await derivation.take(page))
      told.push({ event, rows: rowsOf(event).map((row) => noetlColumns(row, 0)) });
  return told;
}

describe('rows of events', () => {
  test.each(['error_path_failed', 'fan_out_reduce', 'streaming_pagination', 'fetch_transform_store'])(
    'of the history %s are the events again when they are read',
    async (name) => {
      const told = await toldIn(name);
      expect(told.length).toBeGreaterThan(20);
      for (const one of told) {
        const event = JSON.parse(JSON.stringify(one.event)) as CanonicalEvent;
        expect(storedEvent(stored(eventRow(one)))).toEqual(event);
      }
    },
  );

  test('any payload comes back: results and errors that are null, missing, or beside an outcome', () => {
    const value = fc.oneof(fc.constant(null), fc.integer(), fc.constant({ message: 'x' }), fc.constant([]));
    const some = fc.record(
      { result: value, status: fc.constant('ok'), error: value, meta: fc.constant({}) },
      { requiredKeys: [] },
    );
    const payload = fc.record(
      { outcome: fc.oneof(some, value), result: value, error: value, kind: fc.string() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(payload, (one) => {
        expect(payloadOf(stored(columnsOf(one as JsonObject)))).toEqual(one);
      }),
    );
  });

  test('text that JSONB cannot hold is replaced, whether as a value or as a name; other escapes stay', () => {
    expect(stored({ 'a\0': ['\ud800x', '😀'], b: '\\u0000', c: '\u0001' })).toEqual({
      'a\uFFFD': ['\uFFFDx', '😀'],
      b: '\\u0000',
      c: '\u0001',
    });
    expect(jsonText('\0\udfff')).not.toMatch(/\\u/);
  });
});

describe('an execution', () => {
  const told = (event: Partial<CanonicalEvent>): EventItem => ({
    event: { event_id: '1/0/3/0', entity_id: 'n', payload: {}, ...event } as CanonicalEvent,
    rows: [],
  });

  test('is what its events add up to', async () => {
    const told = await toldIn('error_path_failed');
    const [start_time, end_time] = [told[0]!, told.at(-1)!].map(({ event }) => event.timestamp) as [
      string,
      string,
    ];
    expect(executionChanges(told)).toMatchObject({
      status: 'FAILED',
      workload: { rescue: false },
      parent_execution_id: null,
      error: expect.stringContaining('ZeroDivisionError') as string,
      error_detail: { code: 'PY_ZeroDivisionError', step: 'risky' },
      start_time,
      end_time,
      duration: (Date.parse(end_time) - Date.parse(start_time)) / 1000,
      last_event_type: 'playbook.processed',
    });
  });

  test('that was paused is paused until it is resumed, and runs again after a reset', () => {
    const paused = told({ event_type: 'playbook.paused' });
    const ended = told({
      event_type: 'workflow.finished',
      status: 'error',
      timestamp: 't',
      payload: { error: { message: 'm' } },
    });
    expect(executionChanges([paused]).status).toBe('PAUSED');
    expect(executionChanges([paused, told({ event_type: 'playbook.resumed' })]).status).toBe('RUNNING');
    const rerun = {
      event_type: 'playbook.execution.requested',
      payload: { rerun: { execution_id: '7' } },
    } as const;
    expect(executionChanges([told(rerun)])).toMatchObject({ rerun_of: '7', parent_execution_id: null });
    expect(executionChanges([ended])).toMatchObject({ status: 'FAILED', end_time: 't', error: 'm' });
    expect(executionChanges([ended, told({ event_type: 'playbook.reset' })])).toMatchObject({
      status: 'RUNNING',
      end_time: null,
      error: null,
    });
  });
});

describe('variables', () => {
  const changes = (variables: JsonObject, ...events: Partial<CanonicalEvent>[]) =>
    variableChanges({
      variables,
      plan: { limits: { maxPayloadBytes: 2000 } } as unknown as Plan,
      events: events.map((event, n) => ({
        event: { event_id: `1/0/3/${n}`, timestamp: 't', ...event } as CanonicalEvent,
        rows: [],
      })),
    });
  const patched = (patch: Json, parent_id?: string) =>
    ({ event_type: 'ctx.patched', parent_id, payload: { patch } }) as const;

  test('are named by the heads of paths, with the step that wrote them and their value after the batch', () => {
    const { written, deleted } = changes(
      { a: { b: 1, c: 2 }, 'x.y': 3, untouched: 4 },
      patched({ 'a.b': 1 }, 'fetch#2[7].store~1@1'),
      patched({ 'x.y': 0, gone: 1 }),
      { event_type: 'variables.deleted', payload: { names: ['gone'] } },
    );
    expect(written).toEqual([
      { var_name: 'a', var_type: 'step_result', var_value: { b: 1, c: 2 }, source_step: 'fetch', at: 't' },
      { var_name: 'x.y', var_type: 'user_defined', var_value: 3, source_step: null, at: 't' },
    ]);
    expect(deleted).toContain('gone');
  });

  test('are all written anew after a reset, and after a patch too large to be told', () => {
    const reference = {
      store: 'history',
      key: '1/0/3/0',
      range: '/payload/patch',
      size: 9,
      checksum: 'sha256:',
    };
    for (const event of [patched(reference), { event_type: 'playbook.reset', payload: {} } as const]) {
      const { written, isWhole } = changes({ one: 1, two: 2 }, event);
      expect(isWhole).toBe(true);
      expect(written.map((one) => one.var_name)).toEqual(['one', 'two']);
    }
  });

  test('above the limit of events are references to where the state has them', () => {
    const { written } = changes({ big: 'x'.repeat(5000) }, patched({ big: '…' }));
    expect(written[0]!.var_value).toMatchObject({
      store: 'history',
      key: '1/0/3/0',
      range: '/ctx/big',
      size: 5002,
    });
  });
});
