/** Signals and updates from anybody: they fit, or they are ignored and reported; the machine takes all that fit. */
import fc from 'fast-check';
import { frozen } from '../../../test/support/freeze';
import { cases } from '../../../test/support/properties';
import { planOf, playbookOf, START } from '../../../test/support/simulator';
import { ChunkEvents, type EngineEvent, type Input, Machine } from '../../engine/machine';
import { type Json, type JsonObject } from '../../language/plan';
import { isLimitRequest, signalInput, SIGNALS, updateInput, UPDATES } from './messages';

const CHUNK = 'start#1[0]@' + START.toString(36);
const ok = { status: 'ok', result: 1 };

/** Arguments that fit. */
const VALID: Readonly<Record<keyof typeof SIGNALS, readonly Json[]>> = {
  pause: [{ reason: 'later' }],
  resume: [],
  cancel: [{ reason: 'enough' }],
  event: [{ name: 'go', payload: { a: 1 }, id: 'e1' }],
  childStarted: [{ child: '7', version: '1', digest: 'd' }],
  childSettled: [{ child: '7', outcome: ok }],
  taskSettled: ['start#1~1@1', ok, { scheduledAt: 1 }],
  limit: [{ keeper: 'k', execution: '1', type: 'slots', ref: 'r', slots: [[1, 1]] }],
  chunk: [
    {
      ref: CHUNK,
      trace: [{ at: START, inputs: [{ type: 'chunkStarted' }, { type: 'timerFired', key: 'x' }] }],
      settled: {
        status: 'done',
        result: {
          results: [1],
          done: 1,
          failed: 0,
          notStarted: 0,
          cause: null,
          ctx: {},
          writes: {},
          tasks: 1,
          retries: 0,
        },
      },
    },
  ],
};

const UPDATED: Readonly<Record<keyof typeof UPDATES, Json>> = {
  sendEvent: { name: 'go', payload: 1 },
  setVariables: { a: 1 },
  deleteVariables: ['a'],
};

const FLOW = playbookOf(
  '- step: start\n  loop: {in: "{{ [1, 2, 3, 4] }}", iterator: i, spec: {mode: parallel, exec: distributed}}\n' +
    '  tool: {kind: python, code: "result = 1"}\n- step: other\n  tool: {kind: noop}',
);

const plan = planOf(FLOW);

/** A machine with chunks in flight, and the reader of their events, both as the driver and the derivation have them. */
function underWay(): { apply(inputs: readonly Input[]): readonly EngineEvent[]; readonly machine: Machine } {
  const machine = Machine.create(plan, '1', START);
  const chunks = new ChunkEvents(plan);
  const apply = (inputs: readonly Input[]): readonly EngineEvent[] => {
    const batch = frozen({ at: START, inputs });
    const earlier = chunks.before(batch).map(({ event }) => event);
    const { commands, events } = machine.apply(batch);
    chunks.after(commands);
    return [...earlier, ...events];
  };
  apply([{ type: 'started', payload: {} }]);
  return { apply, machine };
}

/** The value with one of its parts, or all of it, replaced. */
function damaged(value: Json, path: readonly number[], by: Json): Json {
  const [position, ...deeper] = path;
  if (position === undefined || typeof value !== 'object' || value === null) return by;
  const keys = Object.keys(value);
  if (keys.length === 0) return by;
  const key = keys[position % keys.length]!;
  const part = damaged((value as JsonObject)[key]!, deeper, by);
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === key ? part : one));
  return { ...value, [key]: part };
}

const path = fc.array(fc.nat({ max: 8 }), { maxLength: 6 });
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const signals = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[];

it.each(signals)('%s: what fits becomes an input', (name) => {
  const input = signalInput(name, VALID[name]);
  expect(input).toBeDefined();
  expect(input!.type).not.toBe('messageIgnored');
  const events = underWay().apply([input!]);
  if (name === 'chunk') expect(events.map(({ event_type }) => event_type)).toContain('loop.chunk.done');
});

it.each(signals)('%s: whatever else comes neither throws nor changes the execution', (name) => {
  fc.assert(
    fc.property(path, json, fc.boolean(), ([first = 0, ...deeper], by, isRandom) => {
      const valid = VALID[name];
      const position = valid.length === 0 ? 0 : first % valid.length;
      const args = isRandom
        ? [by]
        : valid.map((one, at) => (at === position ? damaged(one, deeper, by) : one));
      const input = signalInput(name, args)!;
      const { apply, machine } = underWay();
      const before = JSON.stringify(machine.state);
      const events = apply([input]);
      JSON.stringify(machine.state);
      if (input.type !== 'messageIgnored') return;
      expect(JSON.stringify(machine.state)).toBe(before);
      expect(events).toMatchObject([
        { event_type: 'external.dropped', payload: { signal: true, reason: expect.any(String) } },
      ]);
    }),
    cases(300),
  );
});

it.each(signals)('%s: without arguments, with null and with the wrong types', (name) => {
  for (const args of [[], [null], [null, null, null], ['text'], [7], [[]], [{}], [{}, {}, {}]]) {
    const { apply } = underWay();
    apply([signalInput(name, args)!]);
  }
});

it('a cancellation is never ignored, whatever its reason', () => {
  for (const args of [[], [null], ['why'], [{ reason: 7 }], [{ reason: 'x'.repeat(1e6) }]]) {
    const input = signalInput('cancel', args);
    expect(input).toMatchObject({ type: 'cancelRequested' });
    expect(JSON.stringify(input).length).toBeLessThan(2000);
  }
});

it.each(Object.keys(UPDATES) as (keyof typeof UPDATES)[])(
  '%s: what its validator lets through is taken',
  (name) => {
    expect(updateInput(name, [UPDATED[name]], 'u1')).toBeDefined();
    fc.assert(
      fc.property(path, json, (way, by) => {
        const args = [damaged(UPDATED[name], way, by)];
        const input = updateInput(name, args, 'u1');
        expect(input === undefined).toBe(UPDATES[name].why(args) !== undefined);
        if (input) underWay().apply([input]);
      }),
      cases(300),
    );
    const row = Array.from({ length: 1000 }, () => 'x'.repeat(1000));
    const bomb = Array.from({ length: 1000 }, () => row);
    expect(UPDATES[name].why([{ name: 'go', payload: bomb, a: bomb }])).toMatch(/at most 16 MiB/);
  },
);

it('unknown signals and updates are nobody’s', () => {
  expect([signalInput('toString', []), updateInput('constructor', [], 'u')]).toEqual([undefined, undefined]);
});

test('a keeper takes what executions ask, and nothing else', () => {
  const asker = { execution: '1', workflow: 'noetl-1' };
  const rate = { ref: 'limit:rate#1', count: 1500, limit: 10_000, per_ms: 1000, burst: 1 };
  const fitting = [
    asker,
    { ...asker, concurrency: { limit: 5_000_000, on_conflict: 'queue', inside: true } },
    { ...asker, debounce: { period_ms: 1, max_wait_ms: 5 } },
    { ...asker, rate },
  ];
  expect(fitting.map(isLimitRequest)).toEqual([true, true, true, true]);
  const odd = [
    null,
    'x',
    {},
    { execution: '1' },
    { ...asker, concurrency: 7 },
    { ...asker, concurrency: { limit: '1' } },
    { ...asker, debounce: { period_ms: null } },
    ...[0, -1, 1.5, 1e9, null, '7'].map((count) => ({ ...asker, rate: { ...rate, count } })),
    ...[0, null].map((burst) => ({ ...asker, rate: { ...rate, burst } })),
  ];
  expect(odd.filter(isLimitRequest)).toEqual([]);
});
