/** `return_result` and `result_step`: which of a sub-playbook's results its caller gets. */
import { planOf, playbookOf, simulate, type Mocks } from '../../../test/support/simulator';
import { type Json } from '../../language/plan';
import { Machine } from '../../engine/machine';
import { type PlaybookCall } from './definitions';
import { outcomeOfEnd } from './outcomes';

/** A provider: work, a repair of failed work, and an end that only ends. */
const PROVIDER = `
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: ask}]}
- step: ask
  tool: {kind: python, code: "result = 0"}
  next:
    spec: {mode: exclusive}
    arcs:
    - {step: repair, when: "{{ event.name == 'step.failed' }}"}
    - {step: end}
- step: repair
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {note: done}}`;

const FAILS = { status: 'error', error: { kind: 'client_error', code: 'HTTP_404' }, result: null, meta: {} };

/** What the caller gets of a playbook, and of which step. */
function asked(workflow: string, call: Partial<PlaybookCall>, mocks: Mocks): [Json, Json | undefined] {
  const yaml = playbookOf(workflow);
  const { state, result } = simulate(yaml, { mocks, persist: true });
  const request = { path: 'p', detached: false, ...call } as PlaybookCall;
  const machine = Machine.from(planOf(yaml), state);
  const end = { type: 'complete', result: result! } as const;
  const { result: got, meta } = outcomeOfEnd(request, end as never, machine);
  return [got, (meta['child'] as { step?: string }).step];
}

const ALL = { returnResult: true } as const;

test.each<[string, Partial<PlaybookCall>, Mocks, Json, string | undefined]>([
  ['nothing asked: its own result', {}, { ask: { n: 1 } }, { note: 'done' }, undefined],
  ['its last call', ALL, { ask: { n: 1 } }, { n: 1 }, 'ask'],
  [
    'its last call, although an earlier one was mended',
    ALL,
    { ask: FAILS as never, repair: { n: 2 } },
    { n: 2 },
    'repair',
  ],
  ['a call without a result does not count', ALL, { ask: { n: 1 }, repair: null }, { n: 1 }, 'ask'],
  ['the step that is named', { ...ALL, returnStep: 'ask' }, { ask: { n: 1 } }, { n: 1 }, 'ask'],
  [
    'the step that is named, if only a noop',
    { ...ALL, returnStep: 'end' },
    { ask: 1 },
    { note: 'done' },
    'end',
  ],
  [
    'a named step that failed: the last call',
    { ...ALL, returnStep: 'ask' },
    { ask: FAILS as never, repair: 2 },
    2,
    'repair',
  ],
  ['a named step that did not run: the last call', { ...ALL, returnStep: 'repair' }, { ask: 1 }, 1, 'ask'],
  ['a named step that does not exist: the last call', { ...ALL, returnStep: 'aks' }, { ask: 1 }, 1, 'ask'],
])('%s', (_, call, mocks, result, step) => {
  expect(asked(PROVIDER, call, mocks)).toEqual([result, step]);
});

test('a call that was made again and failed is no answer; without any, the playbook has its own result', () => {
  const again = `
- step: start
  tool: {kind: http, url: "http://x"}
  next:
    spec: {mode: exclusive}
    arcs:
    - {step: end, when: "{{ event.name == 'step.failed' }}"}
    - {step: start}
- step: end
  tool: {kind: noop, input: {note: done}}`;
  const mocks: Mocks = { start: { sequence: [{ n: 1 }, FAILS as never] } };
  expect(asked(again, ALL, mocks)).toEqual([{ note: 'done' }, undefined]);
});

test('of a loop all results, of a pipeline its last, and what ends after it with a wait is not asked for', () => {
  const loop = `
- step: start
  loop: {in: [1, 2], iterator: n}
  tool: {kind: http, url: "http://x/{{ iter.n }}"}
  next: {arcs: [{step: rest}]}
- step: rest
  tool: {kind: wait, for: 1}`;
  expect(asked(loop, ALL, { start: { sequence: ['a', 'b'] } })).toMatchObject([
    { results: ['a', 'b'], count: 2 },
    'start',
  ]);
  const pipeline = `
- step: start
  tool:
  - {name: one, kind: http, url: "http://x"}
  - {name: two, kind: python, code: "result = 1"}`;
  expect(asked(pipeline, ALL, { one: 1, two: 2 })).toEqual([2, 'start']);
});

test('`return_step` is still strict about its step', () => {
  const yaml = playbookOf(PROVIDER);
  const { state, result } = simulate(yaml, { mocks: { ask: 1 } });
  const end = { type: 'complete', result: result! } as const;
  const request = { path: 'p', detached: false, returnStep: 'aks' } as PlaybookCall;
  const { error } = outcomeOfEnd(request, end as never, Machine.from(planOf(yaml), state));
  expect(error).toMatchObject({ code: 'RETURN_STEP' });
});
