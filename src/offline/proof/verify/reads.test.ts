/** What a run reads, and what its limits are, decides: not what a version might read. */
import { httpOk, planOf, playbookOf } from '../../../../test/support/simulator';
import { recordSimulation } from '../../../../test/support/recorded-simulation';
import { type Plan, type TaskCall, withoutDetails } from '../../../language/plan';
import { type SimulateOptions } from '../../drive';
import { type Recording } from '../recording';
import { whatIf } from '../what-if';
import { changesBetween } from './changes';
import { verdictOn } from './verdict';

/** As history has it: without the details of answers that nothing reads. */
function recorded(plan: Plan, options: SimulateOptions = {}): Recording {
  const answer = (call: TaskCall) => ({ outcome: withoutDetails(httpOk({ price: 25 }), call), after: 1000 });
  return recordSimulation(plan, { answer }, options).recording;
}

const priced = (arc: string, more = ''): Plan =>
  planOf(
    playbookOf(`
- step: start
  tool: {kind: http, url: "http://x"${more}}
  next: {arcs: [{step: total${arc}}]}
- step: total
  tool: {kind: noop, input: {got: "{{ start.price }}"}}`),
  );

const kindOf = (recording: Recording, now: Plan): string => verdictOn(recording, now).kind;

describe('a guard behind a call whose details history omits', () => {
  const recording = recorded(priced(''));

  it('is decided by what the run reads', () => {
    expect(kindOf(recording, priced(', when: true'))).toBe('same');
    expect(kindOf(recording, priced(', when: "{{ start.price > 20 }}"'))).toBe('same');
    expect(
      kindOf(recording, priced(', when: "{{ start.data.price > 20 and start.status_code == 200 }}"')),
    ).toBe('same');
    expect(kindOf(recording, priced(', when: "{{ start.price > 30 }}"'))).toBe('decision');
    expect(kindOf(recording, priced(', when: false'))).toBe('decision');
  });

  it('is not answerable if it reads what was omitted, unless the user wants the recorded answer', () => {
    const reading = priced(', when: "{{ start.headers.etag is defined }}"');
    expect(verdictOn(recording, reading)).toMatchObject({
      kind: 'unanswerable',
      finding: { cause: expect.stringContaining('and the new version reads: headers') as string },
    });
    for (const read of ['start.elapsed_ms < 5', 'output.meta.duration_ms < 5', "'x' in (start | tojson)"])
      expect([read, kindOf(recording, priced(`, when: "{{ ${read} }}"`))]).toEqual([read, 'unanswerable']);
    const supplied = { instead: () => 'recorded' as const };
    expect(whatIf(recording, reading, { supplied }).result).toMatchObject({
      status: 'completed',
      unanswered: [],
    });
  });

  it('does not let an open call run into the time limit of its step', () => {
    const step = (arc: string): Plan =>
      planOf(
        playbookOf(`
- step: start
  tool: {kind: http, url: "http://x"}
  spec: {lifecycle: {timeout_s: 5}}
  next: {arcs: [{step: total${arc}}]}
- step: total
  tool: {kind: noop}`),
      );
    const run = recorded(step(''));
    expect(kindOf(run, step(', when: true'))).toBe('same');
    expect(kindOf(run, step(', when: "{{ start.url != 5 }}"'))).toBe('unanswerable');
  });
});

test('a time limit is a difference only if it decides', () => {
  const recording = recorded(priced('', ', timeout: 60'));
  const limited = (timeout: string): string => kindOf(recording, priced('', timeout));
  expect([', timeout: 61', ', timeout: 2', '', ', timeout: 0.5'].map(limited)).toEqual([
    'same',
    'same',
    'same',
    'decision',
  ]);
});

test('a label is not part of the request', () => {
  const called = (name: string): Plan =>
    planOf(
      playbookOf(`
- step: start
  tool: [{name: ${name}, kind: playbook, path: lib/child}]`),
    );
  const answer = () => ({ outcome: { ...httpOk(1), http: undefined } as never, after: 5 });
  const { recording } = recordSimulation(called('one'), { answer });
  expect(kindOf(recording, called('two'))).toBe('same');
});

test('concurrency that is added lets the run pass; another pool is another call', () => {
  const of = (executor: string): Plan =>
    planOf(`apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: x}\nexecutor: {spec: {${executor}}}
workflow:\n- step: start\n  tool: {kind: http, url: "http://x"}\n`);
  const recording = recorded(of(''));
  expect(kindOf(recording, of('concurrency: {limit: 1}'))).toBe('same');
  expect(verdictOn(recording, of('pool: gpu'))).toMatchObject({
    kind: 'call',
    finding: { path: 'pool', now: 'gpu' },
  });
});

test('inputs that are refused, and a result that is gone, are differences', () => {
  const of = (metadata: string, step = 'sum'): Plan =>
    planOf(`apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: x${metadata}}\nworkload: {mode: full}
workflow:\n- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: ${step}}]}\n- step: ${step}\n  tool: {kind: noop}\n`);
  const recording = recorded(of(''), { payload: { mode: 'slow' } });
  const refused = verdictOn(recording, of(', workload: {mode: {type: string, enum: [full, fast]}}'));
  expect(refused).toMatchObject({ kind: 'decision', finding: { what: 'inputs' } });
  expect(kindOf(recording, of(', workload: {mode: {type: string}}'))).toBe('same');
  expect(kindOf(recording, of('', 'total'))).toBe('same');
  const called = { ...recording, call: { returnStep: 'sum' } };
  expect(verdictOn(called, of('', 'total'))).toMatchObject({
    finding: { cause: expect.stringContaining('the result of step sum') as string },
  });
});

test('a keychain that asks for another secret is another call', () => {
  const of = (variable: string): Plan =>
    planOf(`apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: x}
keychain:\n- {name: door, kind: secret_manager, provider: environment, map: {word: ${variable}}}
workflow:\n- step: start\n  tool: {kind: http, url: "http://x", headers: {auth: "{{ keychain.door.word }}"}}\n`);
  const world = {
    answer: () => ({ outcome: httpOk(1), after: 5 }),
    keychain: () => ({ outcome: { ...httpOk(1), result: { nonce: 'n' } } as never, after: 1 }),
  };
  const { recording } = recordSimulation(of('one'), world);
  expect(kindOf(recording, of('one'))).toBe('same');
  expect(kindOf(recording, of('two'))).toBe('call');
});

test('what changed in the text is named at its line', () => {
  const old = 'workload:\n  limit: 5\nworkflow:\n- step: a\n  next:\n    arcs:\n    - {step: b}\n';
  const now = old.replace('limit: 5', 'limit: 6').replace('{step: b}', '{step: b, when: true}');
  expect(changesBetween(old, now)).toEqual([
    { what: 'workload.limit', was: '5', is: '6', line: 2 },
    { what: 'a.next.arcs.b.when', step: 'a', is: 'true', line: 7 },
  ]);
  expect(changesBetween(old, old.replace('{step: b}', '{ \'step\': "b" }'))).toEqual([]);
});

test('writes before one that fails are decisions: their order counts', () => {
  const writing = (first: string, second: string): Plan =>
    planOf(
      playbookOf(`
- step: start
  tool: {kind: http, url: "http://x"}
  set:
    ${first}
    ${second}`),
    );
  const [fails, works] = [`ctx.rows: "{{ start.price + 'x' }}"`, 'ctx.next: 1'];
  const recording = recorded(writing(fails, works));
  expect(kindOf(recording, writing(fails, works))).toBe('same');
  expect(verdictOn(recording, writing(works, fails))).toMatchObject({
    kind: 'decision',
    finding: { what: 'write ctx.next by start#1', now: 1 },
  });
});

test('for what a run waits is a decision while it waits', () => {
  const waiting = (event: string, more = ''): Plan =>
    planOf(
      playbookOf(`
- step: start
  tool: {kind: wait, event: ${event}${more}}
  next: {arcs: [{step: end, when: "{{ event.name in ['step.failed', 'step.done'] }}"}]}
- step: end
  tool: {kind: noop}`),
    );
  const limited = recorded(waiting('go', ', timeout: 5'));
  expect(kindOf(limited, waiting('come', ', timeout: 5'))).toBe('same');
  const input = { type: 'externalEvent', name: 'go', payload: 1 } as const;
  const taken = recorded(waiting('go', ', timeout: 5'), { messages: [{ after: 1000, input }] });
  expect(kindOf(taken, waiting('come', ', timeout: 5'))).toBe('decision');
  expect(kindOf(recorded(waiting('go')), waiting('come'))).toBe('call');
});
