import { planOf, playbookOf } from '../../../../test/support/simulator';

function readsOf(tool: string, exec = 'distributed', more = ''): unknown {
  const plan = planOf(
    playbookOf(
      `
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: each}]}
- step: each
  loop: {in: [1, 2], iterator: n, spec: {mode: parallel, policy: {exec: ${exec}}}}
  ${more}
  tool: ${tool}`,
      'workload: {a: 1, b: {c: 2}, big: []}',
    ),
  );
  return plan.steps[1]!.loop!.reads;
}

test.each([
  [
    '{kind: noop, input: {x: "{{ workload.a }}", y: "{{ start.z }}"}}',
    { workload: ['a', 'start'], ctx: ['start'], results: ['start'] },
  ],
  ['{kind: noop, input: {x: "{{ b.c }}"}}', { workload: ['b'], ctx: ['b'], results: ['b'] }],
  ['{kind: noop, input: {x: "{{ workload[n] }}"}}', { workload: null, ctx: ['n'], results: ['n'] }],
  ['{kind: noop, input: {x: "{{ workload }}"}}', { workload: null, ctx: [], results: [] }],
  ['{kind: noop, input: {x: "{{ ctx.a }}"}}', { workload: ['a'], ctx: ['a'], results: [] }],
  ['{kind: noop, input: {x: "{{ ctx }}"}}', { workload: [], ctx: null, results: [] }],
  ['{kind: noop, set: {ctx.stats.seen: 1}}', { workload: [], ctx: ['stats'], results: [] }],
  ['{kind: python, code: "result = context"}', { workload: null, ctx: null, results: null }],
])('%s', (tool, reads) => {
  expect(readsOf(tool)).toEqual(reads);
  expect(readsOf(tool, 'distributed')).toEqual(reads);
});

test('a loop that runs where it is reads what it likes', () => {
  expect(readsOf('{kind: noop}', 'inline')).toBeUndefined();
});
