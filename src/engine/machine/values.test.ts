/** Values that are huge as JSON end where they arise, with a code, and before anything writes them. */
import { EXPLODED_MS, processorMs } from '../../../test/support/processor-time';
import { isNightly, someOf } from '../../../test/support/sampled';
import { drive } from '../../../test/support/strict-driver';
import {
  ok,
  planOf,
  playbookOf,
  simulate,
  START,
  type Simulation,
  type SimulationOptions,
} from '../../../test/support/simulator';
import { type Json, jsonSize, MAX_STATE_SIZE, MAX_VALUE_SIZE } from '../../language/plan';
import { type Input } from './batch';
import { Machine } from './machine';
import { heldSize } from './state';

const CUBE = '[[[1]*1000]*1000]*1000';
const TEXTS = "[['x'*100000]*1000]*1000";
const end = '- step: end\n  tool: {kind: noop}';

async function quick(yaml: string, options: SimulationOptions = {}): Promise<Simulation> {
  const plan = planOf(yaml);
  let run: Simulation | undefined;
  const ms = await processorMs(() => (run = simulate(plan, options)));
  expect(ms).toBeLessThan(EXPLODED_MS);
  return run!;
}

const codes = ['VALUE_TOO_LARGE', 'NT4201', 'NT4202', 'NT4203', 'STATE_TOO_LARGE'];

async function expectBounded(yaml: string, options?: SimulationOptions): Promise<string> {
  const run = await quick(yaml, options);
  const { code } = run.error ?? {};
  expect({ end: run.end, code, known: codes.includes(code!) }).toEqual({ end: 'fail', code, known: true });
  expect(jsonSize(run.error)).toBeLessThan(20_000);
  return code!;
}

describe('an expression whose value is huge', () => {
  const EXPRESSIONS: Readonly<Record<string, string>> = {
    'a list of lists of lists': CUBE,
    'long texts': TEXTS,
    'dicts of dicts': "{'a': [{'b': [{'c': [1]*1000}]*1000}]*1000}",
    tuples: '[[(1, 2)]*1000]*10000',
    zip: '[[1, 2, 3]*1000] | map("list") | list * 10000',
    batch: '([[[1]*1000]*1000]*1000) | batch(10) | list',
    groupby: "([{'k': 1, 'v': [[1]*1000]*1000}]*1000) | groupby('k')",
    floats: '[[[1.0]*1000]*1000]*1000',
  };
  const PLACES: Readonly<Record<string, (e: string) => string>> = {
    'the input of a noop': (e) => `- step: start\n  tool: {kind: noop, input: {x: "{{ ${e} }}"}}`,
    'the input of a task': (e) =>
      `- step: start\n  tool: {kind: python, code: "result = 1", input: {x: "{{ ${e} }}"}}`,
    'a field of a task': (e) =>
      `- step: start\n  tool: {kind: http, url: "http://x", json: {x: "{{ ${e} }}"}}`,
    'the input of a step': (e) => `- step: start\n  input: {x: "{{ ${e} }}"}\n  tool: {kind: noop}`,
    set: (e) =>
      `- step: start\n  tool: {kind: noop}\n  set: {ctx.x: "{{ ${e} }}"}\n  next: {arcs: [{step: end}]}\n${end}`,
    'the arguments of an arc': (e) =>
      `- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: end, args: {x: "{{ ${e} }}"}}]}\n${end}`,
    // Of a constant one the compiler would say so.
    'a loop': (e) =>
      `- step: start\n  loop: {in: "{{ workload.huge | default(${e}) }}", iterator: i}\n  tool: {kind: noop}`,
    'the input of a playbook': (e) =>
      `- step: start\n  tool: {kind: playbook, path: x/y, input: {x: "{{ ${e} }}"}}`,
  };
  const pairs = Object.entries(PLACES).flatMap(([place, write]) =>
    Object.entries(EXPRESSIONS).map(([name, e]): [string, string, string] => [
      name,
      place,
      write(e.replaceAll('"', "'")),
    ]),
  );
  it.each(someOf(pairs, 11))('%s, in %s', async (_name, _place, workflow) => {
    await expectBounded(playbookOf(workflow));
  });

  it.each([
    ['the input of a task', '- step: start\n  tool: {kind: python, code: "result = 1", input: {x: PARTS}}'],
    [
      'a variable',
      `- step: start\n  tool: {kind: noop}\n  set: {ctx.x: PARTS}\n  next: {arcs: [{step: end}]}\n${end}`,
    ],
  ])('the parts of %s are together no larger than one of them may be', async (_place, workflow) => {
    const part = `"{{ ['${'x'.repeat(1000)}']*6000 }}"`;
    const parts = (count: number): string =>
      playbookOf(workflow.replace('PARTS', `[${Array<string>(count).fill(part).join(', ')}]`));
    expect((await quick(parts(2))).end).toBe('complete');
    expect(await expectBounded(parts(3))).toBe('VALUE_TOO_LARGE');
  });

  it('does not matter where it is not kept', async () => {
    const yaml = playbookOf(
      `- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: end, when: "{{ (${CUBE}) | length == 1000 }}"}]}\n${end}`,
    );
    expect(await quick(yaml)).toMatchObject({ end: 'complete' });
  });

  it('ends the execution in a guard that returns it', async () => {
    await expectBounded(
      playbookOf(
        `- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: end, when: "{{ ${CUBE} }}"}]}\n${end}`,
      ),
    );
  });

  it('in the workload', async () => {
    await expectBounded(playbookOf('- step: start\n  tool: {kind: noop}', `workload: {x: "{{ ${CUBE} }}"}`));
  });

  it('a macro and a namespace that double it', async () => {
    const doubling =
      '{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x | length }}';
    const run = await quick(playbookOf(`- step: start\n  tool: {kind: noop, input: {x: "${doubling}"}}`));
    expect(run).toMatchObject({ end: 'complete', result: { x: '2' } });
  });
});

describe('a value that grows from step to step', () => {
  const again = (set: string, more = ''): string =>
    playbookOf(
      `- step: start\n  tool: {kind: noop${more}}\n  set: {${set}, ctx.n: "{{ (ctx.n or 0) + 1 }}"}\n` +
        `  next: {arcs: [{step: start, when: "{{ ctx.n < 60 }}"}, {step: end}]}\n${end}`,
    );
  const GROWTH = [
    ['doubled', 'ctx.x: "{{ [ctx.x, ctx.x] }}"'],
    ['doubled in a mapping', `ctx.x: "{{ {'a': ctx.x, 'b': ctx.x} }}"`],
    ['doubled below a path', 'ctx.x.a: "{{ ctx.x }}", ctx.x.b: "{{ ctx.x }}"'],
    ['a text', `ctx.x: "{{ (ctx.x or 'x') ~ (ctx.x or 'x') }}"`],
    ['a step variable of the same', 'step.y: "{{ [ctx.x, ctx.x] }}", ctx.x: "{{ [ctx.x, ctx.x, ctx.x] }}"'],
  ] as const;
  it.each(someOf(GROWTH, 2))('%s', async (_, set) => {
    expect(await expectBounded(again(set))).toMatch(/VALUE_TOO_LARGE|NT42/);
  });

  it('arguments handed from arc to arc', async () => {
    const yaml = playbookOf(
      `- step: start\n  tool: {kind: noop}\n  set: {ctx.n: "{{ (ctx.n or 0) + 1 }}"}\n` +
        `  next: {arcs: [{step: start, when: "{{ ctx.n < 60 }}", args: {x: "{{ [input.x, input.x] }}"}}]}`,
    );
    await expectBounded(yaml);
  });

  it('arguments of branches that are merged', async () => {
    const arm = (name: string): string =>
      `- step: ${name}\n  tool: {kind: noop}\n  next: {arcs: [{step: join, args: {${name}: "{{ ctx.big }}"}}]}\n`;
    const names = ['b', 'c', 'd'];
    const yaml = playbookOf(
      `- step: start\n  tool: {kind: noop}\n  set: {ctx.big: "{{ ['x'*1000]*8000 }}"}\n` +
        `  next: {spec: {mode: inclusive}, arcs: [${names.map((step) => `{step: ${step}}`).join(', ')}]}\n` +
        `${names.map(arm).join('')}- step: join\n  tool: {kind: noop}`,
    );
    expect(await expectBounded(yaml)).toBe('VALUE_TOO_LARGE');
  });

  const collecting = (mode: string): string =>
    'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: test, path: test/test}\nworkflow:\n' +
    `- step: start\n  loop: {in: "{{ range(40) | list }}", iterator: i}\n  tool: {kind: python, code: "result = 1"}\n` +
    `  case:\n  - when: "{{ event.name == 'call.done' }}"\n    then: [{collect: {from: "{{ result }}", into: ctx.all, mode: ${mode}}}]\n`;
  it.each(['append', 'extend'])('a list collected by %s', async (mode) => {
    const big: Json = Array.from({ length: 10 }, () => 'x'.repeat(100_000));
    await expectBounded(collecting(mode), { mocks: { start: big } });
  });
});

describe('results', () => {
  const big = (mib: number): Json => Array.from({ length: mib }, () => 'x'.repeat(1024 * 1024 - 4));
  const task = (more = ''): string => `- step: start\n  tool: {kind: python, code: "result = 1"${more}}`;

  it('a result that is too large fails its task, and a rule handles it', () => {
    const rules = `, spec: {policy: {rules: [{when: "{{ output.error.code == 'VALUE_TOO_LARGE' }}", then: {do: continue}}]}}`;
    const mocks = { start: big(17) };
    expect(simulate(playbookOf(task()), { mocks })).toMatchObject({
      end: 'fail',
      error: { code: 'VALUE_TOO_LARGE', kind: 'validation' },
    });
    expect(simulate(playbookOf(task(rules)), { mocks }).end).toBe('complete');
    expect(simulate(playbookOf(task()), { mocks: { start: big(15) } }).end).toBe('complete');
  });

  it('an arc handles it, and so does the next step', () => {
    const yaml = playbookOf(
      `${task()}\n  next: {arcs: [{step: end, when: "{{ error.code == 'VALUE_TOO_LARGE' }}"}]}\n${end}`,
    );
    expect(simulate(yaml, { mocks: { start: big(17) } }).state.executed).toEqual(['start', 'end']);
  });

  it('those of all iterations of a loop', () => {
    const loop = playbookOf(`${task()}\n  loop: {in: "{{ range(20) | list }}", iterator: i}`);
    expect(simulate(loop, { mocks: { start: big(1) } })).toMatchObject({
      end: 'fail',
      error: { code: 'VALUE_TOO_LARGE' },
    });
    expect(simulate(loop, { mocks: { start: 'small' } })).toMatchObject({ end: 'complete' });
  });

  it('all that an execution keeps', () => {
    const steps = Array.from({ length: 12 }, (_, index) => {
      const next = index < 11 ? `\n  next: {arcs: [{step: s${index + 1}}]}` : '';
      return `- step: s${index}\n  tool: {kind: python, code: "result = 1"}${next}\n`;
    });
    const yaml = playbookOf(steps.join('').replace('step: s0\n', 'step: start\n'));
    const mocks = Object.fromEntries(steps.map((_, index) => [index === 0 ? 'start' : `s${index}`, big(10)]));
    const run = simulate(yaml, { mocks });
    expect(run).toMatchObject({ end: 'fail', error: { code: 'STATE_TOO_LARGE' } });
    expect(run.state.executed.length).toBeLessThan(9);
    // Also if every batch begins with a machine that knows only the state.
    if (isNightly) expect(simulate(yaml, { mocks, persist: true }).events).toEqual(run.events);
    const small = Object.fromEntries(Object.keys(mocks).map((name) => [name, big(3)]));
    expect(simulate(yaml, { mocks: small }).end).toBe('complete');
  });
});

it('arguments that many iterations share are kept once', () => {
  const count = isNightly ? 1000 : 200;
  const yaml = playbookOf(
    '- step: start\n  tool: {kind: noop}\n' +
      `  next: {arcs: [{step: each, args: {rows: "{{ ['x'*1000]*1000 }}"}}]}\n` +
      `- step: each\n  loop: {in: "{{ range(${count}) | list }}", iterator: i, spec: {mode: parallel, max_in_flight: ${count}}}\n` +
      '  tool: {kind: wait, for: 5s}',
  );
  const run = simulate(yaml, { persist: true });
  expect(run.end).toBe('complete');
  expect(run.events).toEqual(simulate(yaml).events);
});

describe('from outside', () => {
  const wait = playbookOf('- step: start\n  tool: {kind: wait, event: go, timeout: 1h}');
  const huge: Json = Array.from({ length: 17 }, () => 'x'.repeat(1024 * 1024));

  it('an event that is too large is dropped, and so are old ones when many are large', () => {
    const send = (after: number, name: string, payload: Json) =>
      ({ after, input: { type: 'externalEvent', name, payload, id: `${name}${after}` } }) as const;
    const large: Json = 'x'.repeat(7 * 1024 * 1024);
    const messages = [1, 2, 3].map((at) => send(at, 'other', large));
    const run = simulate(wait, { messages: [send(0, 'go', huge), ...messages, send(9, 'go', 1)] });
    expect(run).toMatchObject({ end: 'complete', result: 1 });
    const dropped = run.events.filter(({ event_type }) => event_type === 'external.dropped');
    expect(dropped.map(({ payload }) => payload['id'])).toEqual(['go0', 'other1']);
    expect(run.state.inbox).toHaveLength(2);
  });

  it('variables that are too large are ignored', () => {
    const inject = { 1: [{ type: 'variablesSet', variables: { x: huge, y: 1 } }] } as const;
    const run = simulate(playbookOf('- step: start\n  tool: {kind: python, code: "result = 1"}'), { inject });
    expect([run.end, run.state.ctx]).toEqual(['complete', {}]);
  });

  it('an input that is nested too deeply ends the execution, and so it does a rerun', () => {
    let deep: Json = 1;
    for (let level = 0; level < 50_000; level++) deep = { a: deep };
    const plan = planOf(playbookOf(end.replace('end', 'start')));
    const origin = { execution_id: '1', step: 'start', step_run_id: 'start#1', event_id: '1', digest: '' };
    const inputs: readonly Input[] = [
      { type: 'started', payload: { a: deep } },
      { type: 'rerun', origin, payload: { a: deep }, variables: {} },
      { type: 'rerun', origin, payload: {}, variables: { a: deep } },
    ];
    for (const input of inputs) {
      const machine = Machine.create(plan, '1', START);
      expect(machine.advance({ at: START, inputs: [input] })).toMatchObject([
        { type: 'fail', error: { code: 'VALUE_TOO_LARGE' } },
      ]);
    }
  });

  it('an input that is too large ends the execution', () => {
    const run = simulate(playbookOf(end.replace('end', 'start')), { payload: { x: huge } });
    expect(run).toMatchObject({ end: 'fail', error: { code: 'VALUE_TOO_LARGE' } });
  });
});

it('what a batch writes is charged to it: it yields, and goes on', () => {
  const plan = planOf(
    playbookOf(
      `- step: start\n  tool: {kind: noop, input: {x: "{{ ['x'*1000]*10000 }}"}}\n  set: {ctx.n: "{{ (ctx.n or 0) + 1 }}"}\n` +
        `  next: {arcs: [{step: start, when: "{{ ctx.n < 30 }}"}]}`,
    ),
  );
  const run = drive(plan, { answer: () => ok(null), order: [] });
  expect([run.end, run.state.counters['yield'] > 0]).toEqual(['complete', true]);
});

it('the limits are those of the docs', () => {
  expect([MAX_VALUE_SIZE, MAX_STATE_SIZE]).toEqual([16 * 1024 * 1024, 64 * 1024 * 1024]);
  expect(heldSize).toBeInstanceOf(Function);
});
