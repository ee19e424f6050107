/** What is recorded of a run comes true when it is rehearsed. */
import { parse } from 'yaml';
import fc from 'fast-check';
import { rehearse } from '../../../test/support/rehearse';
import { planOf, playbookOf } from '../../../test/support/simulator';
import { compact, type Json, type JsonObject, type TaskCall } from '../../language/plan';
import { type RehearsedPlaybook, readRehearsals } from './format/read';
import { type Call, MockedWorld } from './mocks/mocked-world';
import { outlineOf, rehearsalText } from './record/from-run';
import { starterRehearsal } from './record/starter';
import { type Simulated, simulatePlan } from '../drive';

interface Step {
  readonly kind: 'http' | 'python' | 'postgres';
  readonly loop: number;
  readonly parallel: boolean;
  readonly retries: number;
  readonly rescued: boolean;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('http' as const, 'python' as const, 'postgres' as const),
    loop: fc.integer({ min: 0, max: 3 }),
    parallel: fc.boolean(),
    retries: fc.integer({ min: 1, max: 3 }),
    rescued: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

const TOOLS = {
  http: 'url: "https://x/{{ iter.n | default(0) }}"',
  python: 'code: result = 1',
  postgres: 'command: select 1',
} as const;

function playbook(shape: readonly Step[]): string {
  const name = (i: number): string => (i === 0 ? 'start' : i === shape.length ? 'end' : `s${i}`);
  const written = shape.map(({ kind, loop, parallel, retries, rescued }, i) => {
    const guard = rescued ? ` when: "{{ event.name in ['step.done', 'loop.done', 'step.failed'] }}",` : '';
    const mode = parallel ? 'parallel' : 'sequential';
    return `
- step: ${name(i)}
  ${loop > 0 ? `loop: {in: ${JSON.stringify(Array.from({ length: loop }, (_, n) => n))}, iterator: n, spec: {mode: ${mode}}}` : 'desc: once'}
  tool:
    - name: t${i}
      kind: ${kind}
      ${TOOLS[kind]}
      spec: {policy: {rules: [
        {when: "{{ outcome.status == 'error' }}", then: {do: retry, attempts: ${retries}, delay: ${i}, backoff: exponential}}]}}
  set: {ctx.seen_${i}: "{{ ${name(i)} }}"}
  next: {arcs: [{${guard} step: ${name(i + 1)}}]}`;
  });
  return playbookOf(`${written.join('')}\n- step: end\n  tool: {kind: noop, input: {all: "{{ ctx }}"}}`);
}

/** What JSON stores refuse (NUL, half of a surrogate pair) is refused in rehearsals as well. */
const values = fc
  .jsonValue()
  .map((value) => JSON.parse(JSON.stringify(value).replace(/\\u(0000|d[89a-f]..)/gi, '?')) as Json);

const answers: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ result: values, duration: fc.constantFrom('0s', '5ms', '2s', '1h') }),
  fc.record({ error: fc.constantFrom<Json>('timeout', { status: 503 }, { sqlstate: '40P01' }, 'no luck') }),
);

it('a rehearsal recorded from a run passes, whatever the playbook and its answers', () => {
  fc.assert(
    fc.property(steps, fc.array(answers, { minLength: 40, maxLength: 40 }), (shape, pool) => {
      const text = playbook(shape);
      const plan = planOf(text);
      const load = (file: string): RehearsedPlaybook => ({ file, plan });
      const taken = new Map<string, JsonObject[]>();
      let next = 0;
      const answer = ({ step, task, iteration }: TaskCall): void => {
        const name = `${step}/${task}${iteration === undefined ? '' : `[${iteration}]`}`;
        taken.set(name, [...(taken.get(name) ?? []), pool[next++ % pool.length]!]);
      };
      // Each pass answers one call more, until none is without an answer.
      let mocks: JsonObject = {};
      for (;;) {
        const source = rehearsalText('./a.yaml', [{ name: 'recorded', mocks, expect: {} }]);
        const [rehearsal] = readRehearsals(source, { file: 'a', load }).rehearsed!.rehearsals;
        const world = new MockedWorld(rehearsal!);
        const run = simulatePlan(plan, world, { startAt: rehearsal!.startAt });
        if (world.unanswered === undefined) {
          const everything = everythingOf(run, world.calls, rehearsal!.startAt);
          const [result] = rehearse(
            text,
            rehearsalText('./a.yaml', [{ name: 'recorded', mocks, expect: everything }]),
          );
          expect(result!.problems).toEqual([]);
          return;
        }
        answer(world.unanswered.call);
        mocks = Object.fromEntries(taken);
      }
    }),
    { numRuns: 30 },
  );
});

it('a key that means something in YAML is a key', () => {
  const text = rehearsalText('./a.yaml', [
    { name: 'recorded', mocks: { fetch: { result: { '<<': [1], '~': 2, 'a: b': 3 } } }, expect: {} },
  ]);
  expect(parse(text, { merge: true })).toMatchObject({
    rehearsals: [{ mocks: { fetch: { result: { '<<': [1], '~': 2, 'a: b': 3 } } } }],
  });
});

it.each([
  ['a pipeline', [{ kind: 'http', loop: 0, parallel: false, retries: 1, rescued: false }]],
  ['a loop', [{ kind: 'python', loop: 3, parallel: true, retries: 1, rescued: false }]],
] as [string, Step[]][])('the starter of %s passes', (_, shape) => {
  const text = playbook(shape);
  const { text: starter, toFill } = starterRehearsal(planOf(text), './a.yaml');
  expect(starter).toMatch(/^# noetl-temporal test \.\/a\.rehearsal\.yaml\nplaybook: \.\/a\.yaml\n/);
  expect(toFill).toBeUndefined();
  expect(rehearse(text, starter)).toMatchObject([{ ok: true, name: 'runs to its end with minimal answers' }]);
});

it('the starter of a playbook that minimal answers fail fails until it is filled in, says what, and repeats nothing by reference', () => {
  const text = playbookOf(`
- step: start
  tool: {kind: http, url: "https://x/a"}
  next: {arcs: [{step: other}]}
- step: other
  tool: {kind: http, url: "https://x/{{ start.data.items[0].id }}"}
  next: {arcs: [{step: third}]}
- step: third
  tool: {kind: http, url: "https://x/c"}`);
  const { text: starter, toFill } = starterRehearsal(planOf(text), './a.yaml');
  expect(toFill).toMatch(/^minimal answers fail in step other at line \d+: .* \[NT4111\]; give the mocks/);
  expect(starter).toContain(`# To be filled in: ${toFill!}\n`);
  expect(starter).not.toMatch(/[&*]a\d/);
  expect(rehearse(text, starter)).toMatchObject([{ ok: false }]);
  const filled = starter
    .replace('body: {}', 'body: { items: [{ id: 7 }] }')
    .replace('mocks:', 'mocks:\n      other: { status: 200 }\n      third: { status: 200 }');
  expect(filled).not.toBe(starter);
  expect(rehearse(text, filled)).toMatchObject([{ ok: true }]);
});

it('the starter of a playbook that waits for an answer of its own leaves the expectations to its author', () => {
  const polling = playbookOf(`
- step: start
  tool: {kind: http, url: https://x}
  next: {arcs: [{step: end, when: "{{ start.done == true }}"}, {step: start}]}
- step: end
  tool: {kind: noop}`);
  const { text: starter, toFill } = starterRehearsal(planOf(polling), './a.yaml');
  expect(toFill).toContain('reaches no end');
  expect(starter).toMatch(/expect:\s+status: completed/);
});

/** Everything that a rehearsal can expect of the run. */
function everythingOf(run: Simulated, calls: readonly Call[], startAt: number): JsonObject {
  const byTask = new Map<string, JsonObject[]>();
  for (const { call, at } of calls) {
    const { step, task, iteration, attempt, input, config } = call;
    const name = `${step}/${task}`;
    byTask.set(name, [
      ...(byTask.get(name) ?? []),
      {
        attempt,
        ...compact({ iteration }),
        at: `${at - startAt}ms`,
        input,
        config,
      },
    ]);
  }
  return {
    ...outlineOf(run),
    ctx: run.state.ctx,
    calls: Object.fromEntries(byTask),
    events: run.events.map(({ event_type }) => event_type),
    elapsed: `${run.elapsed}ms`,
  };
}
