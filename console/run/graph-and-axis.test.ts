/** What the run page works out before it draws: which steps fold into one node, and where times are on the axis. */
import { type Moment, type StepStand } from '../../src/history/moment';
import { graphOf } from '../../src/language/dsl/graph';
import { planOf, playbookOf } from '../../test/support/simulator';
import { type SpanPart, type TapeSpan } from '../tape/spans';
import { foldedGraph, foldedMoment } from './folding';
import { busyStretches, scaleOf } from './scale';

const SERIES = 20;
const BRANCHES = 6;
/** A fork into branches of a series each, which a step joins, and a series behind it. */
const wide = graphOf(
  planOf(
    playbookOf(
      [
        `- {step: start, tool: {kind: noop}, next: {spec: {mode: inclusive}, arcs: [${Array.from({ length: BRANCHES }, (_, b) => `{step: b${String(b)}_0}`).join(', ')}]}}`,
        ...Array.from({ length: BRANCHES * SERIES }, (_, n) => {
          const [branch, step] = [Math.floor(n / SERIES), n % SERIES];
          const next = step === SERIES - 1 ? 'join' : `b${String(branch)}_${String(step + 1)}`;
          return `- {step: b${String(branch)}_${String(step)}, tool: {kind: noop}, next: {arcs: [{step: ${next}}]}}`;
        }),
        '- {step: join, tool: {kind: noop}, next: {arcs: [{step: again, when: "{{ false }}"}, {step: last}]}}',
        '- {step: again, tool: {kind: noop}, next: {arcs: [{step: join}]}}',
        '- {step: last, tool: {kind: noop}}',
      ].join('\n'),
    ),
  ),
);

const names = (of: { graph: { nodes: readonly { step: string | null }[] } }): unknown[] =>
  of.graph.nodes.map(({ step }) => step);

test('series of steps, and branches alike, become one node each; opened, they are what they were', () => {
  const all = foldedGraph(wide, new Set());
  expect(names(all)).toEqual(['start', 'b0_0 … b5_19', 'join', 'again', 'last']);
  expect(all.groups.get('b0_0 … b5_19')).toHaveLength(BRANCHES * SERIES);
  const branches = foldedGraph(wide, new Set(['b0_0 … b5_19']));
  expect(names(branches)).toContain('b3_0 … b3_19');
  expect(branches.graph.nodes).toHaveLength(4 + BRANCHES);
  const one = foldedGraph(wide, new Set(['b0_0 … b5_19', 'b3_0 … b3_19']));
  expect(one.graph.nodes).toHaveLength(4 + BRANCHES - 1 + SERIES);
  expect(foldedGraph(wide, undefined).graph).toBe(wide);
  // Every arc is in one place, or inside a group.
  const places = branches.places.flat().map((place) => place.join('.'));
  expect(new Set(places).size).toBe(places.length);
  expect(places.length).toBe(wide.arcs.length - BRANCHES * (SERIES - 1));
});

test('of a group one sees how far its steps are, and that one of them has failed', () => {
  const stand = (look: StepStand['look']): StepStand => ({
    ...{ look, runs: 1, open: 0, tasks: 0, waits: 0, children: [], called: 0 },
  });
  const moment = {
    steps: [
      ['b0_0', stand('done')],
      ['b0_1', stand('failed')],
      ['b1_0', stand('running')],
    ],
    tokens: [['t1', 'b1_0']],
  } as unknown as Moment;
  const now = foldedMoment(moment, foldedGraph(wide, new Set()));
  expect(new Map(now.steps).get('b0_0 … b5_19')).toMatchObject({
    look: 'failed',
    loop: { total: 120, done: 1, failed: 1, running: 1 },
  });
  expect(now.tokens).toEqual([['t1', 'b0_0 … b5_19']]);
});

test('a long pause is folded: work before and behind it has the room, and no tick lies in it', () => {
  const part = (kind: SpanPart['kind'], from: number, to: number): SpanPart => ({ kind, from, to });
  const span = (parts: SpanPart[], children: TapeSpan[] = []): TapeSpan =>
    ({ kind: children.length > 0 ? 'step' : 'task', parts, children }) as unknown as TapeSpan;
  const spans = [
    span([part('work', 1000, 3000)], [span([part('queue', 1000, 1500), part('work', 1500, 3000)])]),
    span([part('work', 3000, 603_000)], [span([part('outside', 3000, 603_000)])]),
    span([part('work', 603_000, 605_000)], [span([part('work', 603_000, 605_000)])]),
  ];
  const busy = busyStretches(spans, 605_000);
  expect(busy).toEqual([
    [1000, 3000],
    [603_000, 605_000],
  ]);
  const scale = scaleOf([1000, 605_000], 1000, busy);
  expect(scale.gaps).toEqual([{ from: 3000, to: 603_000, left: 48.5 }]);
  expect([1000, 2000, 3000, 603_000, 604_000, 605_000].map(scale.place)).toEqual([
    0, 24.25, 48.5, 51.5, 75.75, 100,
  ]);
  expect(scale.timeAt(scale.place(604_321))).toBeCloseTo(604_321);
  expect(scale.ticks[0]).toEqual({ left: 0, label: '0' });
  expect(scale.ticks.length).toBeGreaterThan(2);
  expect(scale.ticks.filter(({ left }) => left > 48.6 && left < 51.4)).toEqual([]);
  // Unfolded, the pause is nearly all.
  expect(scaleOf([1000, 605_000], 1000).place(3000)).toBeLessThan(1);
  // Days of nothing cost nothing; a window beyond the work has ticks.
  expect(scaleOf([0, 9e9], 0, [[0, 5]]).ticks.length).toBeLessThan(12);
});
