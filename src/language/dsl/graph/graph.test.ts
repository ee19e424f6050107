import { compile } from '../compile';
import { graphOf } from './graph';
import { type Graph } from './model';
import { EXPLODED_MS, processorMs } from '../../../../test/support/processor-time';

const HEAD =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: test, path: test/graph}\nworkload: {n: 1}\n';

function graphFrom(steps: string): Graph {
  const { plan, diagnostics } = compile(`${HEAD}workflow:\n${steps}`);
  if (plan === undefined) throw new Error(diagnostics.map((each) => each.message).join('\n'));
  return graphOf(plan);
}

function step(name: string, next = '', more = ''): string {
  return `- step: ${name}\n  tool: {kind: noop}\n${more}${next === '' ? '' : `  next: ${next}\n`}`;
}

const arcs = (...names: string[]): string => `{arcs: [${names.map((name) => `{step: ${name}}`).join(', ')}]}`;
const fork = (...names: string[]): string => `{spec: {mode: inclusive}, ${arcs(...names).slice(1)}`;

test('a step tells its kinds, its loop, and where it stands', () => {
  const { nodes } = graphFrom(
    `- step: start
  desc: All of them
  loop: {in: [1, 2], iterator: item, spec: {mode: parallel, max_in_flight: 4}}
  tool:
    - {name: fetch, kind: http, url: https://example.com}
    - {name: again, kind: http, url: https://example.com}
    - {name: keep, kind: noop}
`,
  );
  expect(nodes).toEqual([
    {
      step: 'start',
      desc: 'All of them',
      kinds: ['http', 'noop'],
      tasks: ['fetch', 'again', 'keep'],
      loop: { iterator: 'item', mode: 'parallel', max: 4 },
      entry: true,
      end: true,
      fork: false,
      join: false,
      reachable: true,
      line: 6,
    },
  ]);
});

test('arcs tell their guard, what is left to the last one, and whether they look at a failure', () => {
  const { arcs: found, nodes } = graphFrom(
    step(
      'start',
      `{arcs: [{step: a, when: "{{ event.name == 'step.failed' }}"}, {step: a, when: "{{ workload.n   > 1 }}"}, {step: end}]}`,
    ) + step('a'),
  );
  expect(found).toEqual([
    {
      from: 'start',
      to: 'a',
      when: "event.name == 'step.failed'",
      otherwise: false,
      failure: true,
      fork: false,
    },
    { from: 'start', to: 'a', when: 'workload.n > 1', otherwise: false, failure: false, fork: false },
    { from: 'start', to: null, otherwise: true, failure: false, fork: false },
  ]);
  expect(nodes.at(-1)).toMatchObject({ step: null, end: true });
});

test('an arc that only a success can take is no failure arc', () => {
  const { arcs: found } = graphFrom(
    step('start', `{arcs: [{step: end, when: "{{ event.name == 'step.done' }}"}]}`),
  );
  expect(found[0]).toMatchObject({ failure: false });
});

test('arcs of `case` tell the condition of their rule, and fork by themselves', () => {
  const { arcs: found, nodes } = graphFrom(
    `- step: start
  tool: {kind: http, url: https://example.com}
  case:
    - when: "{{ event.name == 'call.error' }}"
      then: {next: late}
    - when: "{{ event.name == 'step.exit' and response.many }}"
      then: {next: [one, two]}
  next: late
${step('late')}- {step: one, next: both}
- {step: two, next: both}
- {step: both, tool: {kind: noop}}
`,
  );
  expect(found.slice(0, 4)).toEqual([
    { from: 'start', to: 'late', otherwise: true, failure: false, fork: false },
    {
      from: 'start',
      to: 'late',
      when: "event.name == 'call.error'",
      otherwise: false,
      failure: true,
      fork: false,
      rule: 0,
    },
    ...['one', 'two'].map((to) => ({
      from: 'start',
      to,
      when: "event.name == 'step.exit' and response.many",
      otherwise: false,
      failure: false,
      fork: true,
      rule: 1,
    })),
  ]);
  expect(nodes.filter((node) => node.join).map((node) => node.step)).toEqual(['both']);
});

test('a step that nothing leads to is not reachable', () => {
  const { nodes } = graphFrom(step('start') + step('lost', arcs('start')));
  expect(nodes.map(({ step: name, reachable }) => [name, reachable])).toEqual([
    ['start', true],
    ['lost', false],
  ]);
});

describe('joins', () => {
  const joins = (steps: string): unknown[] =>
    graphFrom(steps)
      .nodes.filter((node) => node.join)
      .map((node) => node.step);

  test('are where branches of a fork meet, not what follows', () => {
    const steps = step('start', fork('a', 'b')) + step('a', arcs('m')) + step('b', arcs('m'));
    expect(joins(steps + step('m', arcs('after')) + step('after'))).toEqual(['m']);
  });

  test('are found where one branch is a direct arc', () => {
    expect(joins(step('start', fork('a', 'm')) + step('a', arcs('m')) + step('m'))).toEqual(['m']);
  });

  test('are not where ways of an exclusive router meet', () => {
    const next = '{arcs: [{step: a, when: "{{ workload.n > 1 }}"}, {step: b}]}';
    expect(joins(step('start', next) + step('a', arcs('m')) + step('b', arcs('m')) + step('m'))).toEqual([]);
  });

  test('are not at a step that runs for each token, nor at the fork itself', () => {
    const each = '  spec: {policy: {join: each}}\n';
    const steps = step('start', fork('a', 'b')) + step('a', arcs('m')) + step('b', arcs('m'));
    expect(joins(steps + step('m', '', each))).toEqual([]);
    expect(
      joins(step('start', fork('a', 'b')) + step('a', arcs('start')) + step('b', arcs('start'))),
    ).toEqual([]);
  });
});

test('the graph of 2,000 steps with forks is made in a moment', async () => {
  const steps = Array.from({ length: 2_000 }, (_, i) =>
    step(
      i === 0 ? 'start' : `s${i}`,
      i === 1_999 ? '' : i % 100 === 0 ? fork(`s${i + 1}`, `s${Math.min(i + 3, 1_999)}`) : arcs(`s${i + 1}`),
    ),
  ).join('');
  const { plan } = compile(`${HEAD}workflow:\n${steps}`);
  const took = await processorMs(() => expect(graphOf(plan!).nodes).toHaveLength(2_000));
  expect(took).toBeLessThan(EXPLODED_MS);
});
