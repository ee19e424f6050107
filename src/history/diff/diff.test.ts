import path from 'node:path';
import { enveloped } from '../../../test/support/envelopes';
import { httpError, playbookOf, simulate, type SimulationOptions } from '../../../test/support/simulator';
import { Alignment, compareExecutions, type ExecutionComparison, Summariser } from '.';
import { type CanonicalEvent, Derivation, historyFile } from '..';
import { loopHistory } from '../../../test/support/long-history';

const PLAYBOOK = playbookOf(`
- step: start
  tool:
    kind: http
    url: http://x
    input: {n: "{{ workload.n | default(1) }}"}
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 3, delay: 1}}]}}
  set: {ctx.answer: "{{ start }}"}
  next: {arcs: [{step: big, when: "{{ start.size > 5 }}"}, {step: small}]}
- step: big
  tool: {kind: noop}
- step: small
  tool: {kind: noop}`);

function summary(events: readonly CanonicalEvent[]): Summariser['summary'] {
  const summariser = new Summariser();
  summariser.take(events);
  return summariser.summary;
}

/** @param size events that come at once */
function align(a: readonly CanonicalEvent[], b: readonly CanonicalEvent[], size: number): Alignment {
  const alignment = new Alignment();
  const at = { a: 0, b: 0 };
  for (let side = alignment.next; side; side = alignment.next) {
    const events = { a, b }[side].slice(at[side], (at[side] += size));
    alignment.take(side, events.length === 0 ? undefined : events);
  }
  return alignment;
}

const eventsOf = (options: SimulationOptions): CanonicalEvent[] =>
  enveloped(simulate(PLAYBOOK, options).events);
const between = (a: SimulationOptions, b: SimulationOptions): ExecutionComparison =>
  align(eventsOf(a), eventsOf(b), 3).comparison();

test('an execution does the same as itself', () => {
  expect(between({ mocks: { start: { size: 1 } } }, { mocks: { start: { size: 1 } } })).toMatchObject({
    same: true,
    differences: [],
  });
});

test('another outcome shows where it differs, and the other way it led to', () => {
  const { same, differences } = between({ mocks: { start: { size: 1 } } }, { mocks: { start: { size: 9 } } });
  expect(same).toBe(false);
  expect(differences).toEqual([
    { kind: 'step', id: 'start#1', what: 'next[0]', a: 'small', b: 'big' },
    { kind: 'step', id: 'small#1', what: 'only', a: true, b: false },
    { kind: 'step', id: 'big#1', what: 'only', a: false, b: true },
    { kind: 'task', id: 'start#1~1@1', what: 'outcome.result.size', a: 1, b: 9 },
    { kind: 'task', id: 'small#1~1@1', what: 'only', a: true, b: false },
    { kind: 'task', id: 'big#1~1@1', what: 'only', a: false, b: true },
    { kind: 'ctx', id: 'answer', what: 'size', a: 1, b: 9 },
  ]);
});

test('another payload and a retry are told with the task’s inputs and decisions', () => {
  const { differences } = between(
    { mocks: { start: { size: 1 } } },
    { payload: { n: 2 }, mocks: { start: { sequence: [httpError(503), { size: 1 }] } } },
  );
  expect(differences).toEqual(
    expect.arrayContaining([
      { kind: 'execution', id: '', what: 'workload.n', a: null, b: 2 },
      { kind: 'task', id: 'start#1~1@1', what: 'input.n', a: 1, b: 2 },
      { kind: 'task', id: 'start#1~1@1', what: 'decision.directive', a: 'continue', b: 'retry' },
      { kind: 'task', id: 'start#1~1@2', what: 'only', a: false, b: true },
    ]),
  );
});

test('time alone is no difference, but is told', () => {
  const events = eventsOf({ mocks: { start: { size: 1 } } });
  const [a, b] = [summary(events), summary(events)];
  a.tasks.get('start#1~1@1')!.duration_ms = 20;
  b.tasks.get('start#1~1@1')!.duration_ms = 900;
  expect(compareExecutions(a, b)).toMatchObject({
    same: true,
    timings: [{ id: 'start#1~1@1', a_ms: 20, b_ms: 900 }],
  });
});

const HISTORIES = path.resolve(__dirname, '../../../test/histories/0.1.0');
const NAMES = [
  'error_path_failed',
  'error_path_rescued',
  'fan_out_reduce',
  'heavy',
  'loop_elsewhere',
  'streaming_pagination',
];

async function recorded(name: string): Promise<CanonicalEvent[]> {
  const derivation = new Derivation({ bodies: true });
  const events: CanonicalEvent[] = [];
  for await (const page of historyFile(path.join(HISTORIES, `${name}.json`)))
    for (const event of await derivation.take(page)) events.push(event);
  return events;
}

test('however many events come at once, the comparison is that of both as a whole', async () => {
  const runs = await Promise.all(NAMES.map(recorded));
  for (const a of runs)
    for (const b of runs) {
      const whole = compareExecutions(summary(a), summary(b));
      for (const size of [5, 50, 1000]) expect(align(a, b, size).comparison()).toEqual(whole);
      // Some happened in another order, or not at all.
      const other = b.filter((_, n) => n % 7 !== 3);
      expect(align(a, other, 20).comparison()).toEqual(compareExecutions(summary(a), summary(other)));
    }
});

test('what is held does not grow with the runs', async () => {
  const [short, long] = await Promise.all(
    [500, 4000].map(async (iterations) => {
      const events = await new Derivation().take(loopHistory(iterations));
      const alignment = align(events, events, 500);
      expect(alignment.comparison()).toMatchObject({ same: true });
      return alignment.most;
    }),
  );
  expect(long).toBeLessThan(1.2 * short!);
});

test('a cached result and a computed one are not the same', () => {
  const cached = { execution_id: '7', task_run_id: 'a#1.b~1@1', created_at: '2026-01-01T00:00:00Z' };
  const hit = { status: 'ok', result: { size: 1 }, error: null, meta: { cached } } as const;
  const { differences } = between({ mocks: { start: { size: 1 } } }, { mocks: { start: hit } });
  expect(differences).toContainEqual({
    kind: 'task',
    id: 'start#1~1@1',
    what: 'cached',
    a: null,
    b: true,
  });
});
