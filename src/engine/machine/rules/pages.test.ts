/** Whose the pages are: of a call, of an iteration, of a loop, of a step run. */
import {
  httpError,
  ok,
  planOf,
  playbookOf,
  simulate,
  type Simulation,
} from '../../../../test/support/simulator';
import { type Json } from '../../../language/plan';

type Call = { input: Record<string, unknown> };

/** Two pages of each base: `{rows: [base + page], more, page}`. */
const pages = ({ input }: Call) =>
  ok({
    rows: [Number(input['base']) + Number(input['page'])],
    more: Number(input['page']) < 2,
    page: input['page'],
  } as Json);

function run(steps: string, choose?: (n: number) => number): Simulation {
  const mocks = { start_task: pages, fetch_task: pages };
  return simulate(planOf(playbookOf(steps)), { mocks, ...(choose && { choose }) });
}

const FETCH = `
  tool: {kind: python, args: {page: 1, base: "{{ base | default(0) }}"}, code: "result = 1"}`;
const RETRY = `
  retry:
    - when: "{{ response.more }}"
      then: {max_attempts: 9, next_call: {args: {page: "{{ response.page + 1 }}"}}, collect: {strategy: append, path: rows, into: found}}`;
const END = `
- step: end
  tool: {kind: noop, input: {each: "{{ start.results | default(start) }}", all: "{{ ctx.found }}", seen: "{{ args.seen }}"}}`;

describe.each(['sequential', 'parallel'])('pages of the iterations of a %s loop', (mode) => {
  const orders = [() => 0, (n: number) => n - 1];
  const loop = (rules: string): string => `
- step: start
  loop: {in: [10, 20, 30], iterator: base, spec: {mode: ${mode}}}${FETCH}${rules}
  next: end${END}`;

  it.each(orders)(
    'are the result of each, and together what the loop collected, in the order of the items',
    (choose) => {
      const { result } = run(loop(RETRY), choose);
      expect(result).toMatchObject({
        each: [
          [11, 12],
          [21, 22],
          [31, 32],
        ],
        all: [11, 12, 21, 22, 31, 32],
      });
    },
  );

  it.each(orders)(
    'read by name are those so far of the loop, or of the iteration if others run beside it',
    (choose) => {
      const own = [
        [11, 12],
        [21, 22],
        [31, 32],
      ];
      const sofar = [
        [11, 12],
        [11, 12, 21, 22],
        [11, 12, 21, 22, 31, 32],
      ];
      const seen = run(
        loop(`${RETRY}
  case:
    - when: "{{ event.name == 'call.done' }}"
      then: {collect: {from: "{{ [base, found, ctx.found] }}", into: told}}`),
        choose,
      ).state.ctx['told'];
      const expected = mode === 'parallel' ? own : sofar;
      expect(seen).toEqual([10, 20, 30].map((base, index) => [base, expected[index], expected[index]]));
    },
  );

  it('of which a rule makes the result: of the step, once all have ended', () => {
    const { result } = run(
      loop(`
  case:
    - when: "{{ event.name == 'call.done' and response.more }}"
      then: {collect: {from: response.rows, into: found, mode: extend}, call: {args: {page: "{{ response.page + 1 }}"}}}
    - when: "{{ event.name == 'call.done' }}"
      then: {collect: {from: response.rows, into: found, mode: extend}, result: {from: found}, next: [{step: end, args: {seen: "{{ found }}"}}]}`),
    );
    const all = [11, 12, 21, 22, 31, 32];
    expect(result).toEqual({ each: all, all, seen: all });
  });
});

it('a failed call whose rule gives a result recovers its iteration, not the step', () => {
  const { result } = simulate(
    planOf(
      playbookOf(`
- step: start
  loop: {in: [1, 2], iterator: n}
  tool: {kind: http, url: "http://x/{{ n }}"}
  case:
    - when: "{{ event.name == 'call.error' }}"
      then: {result: "{{ 'none for ' ~ n }}"}
  next: end${END}`),
    ),
    {
      mocks: {
        start: ({ config }) => (String(config['url']).endsWith('1') ? ok({ data: 1 }) : httpError(500)),
      },
    },
  );
  expect(result).toMatchObject({ each: [{ data: 1 }, 'none for 2'] });
});

describe('each run of a step begins with nothing', () => {
  it('so the second has its own pages, and so has ctx', () => {
    const { result } = run(`
- step: start${FETCH}${RETRY}
  next: {arcs: [{step: start, when: "{{ args.base is not defined }}", args: {base: 20}}, {step: end, args: {seen: "{{ start }}"}}]}${END}`);
    expect(result).toEqual({ each: [21, 22], all: [21, 22], seen: [21, 22] });
  });

  it('whatever another step left under the name', () => {
    const { state } = run(`
- step: start
  tool: {kind: noop}
  set: {ctx.found: [7, 8, 9]}
  next: fetch
- step: fetch${FETCH}
  retry:
    - when: "{{ response.more and found | length < 2 }}"
      then: {max_attempts: 9, next_call: {args: {page: "{{ response.page + 1 }}"}}, collect: {strategy: append, path: rows, into: found}}`);
    expect(state.ctx['found']).toEqual([1, 2]);
  });

  it('goes on from what it writes there itself', () => {
    const { state } = run(`
- step: start${FETCH}
  case:
    - when: "{{ event.name == 'step.enter' }}"
      then: {set: {found: [0]}}
    - when: "{{ event.name == 'call.done' and response.more }}"
      then: [{collect: {from: response.rows, into: found, mode: extend}}, {set: {first: "{{ found }}", found: []}}, {call: {args: {page: 2}}}]
    - when: "{{ event.name == 'call.done' }}"
      then: {collect: {from: response.rows, into: found, mode: extend}}`);
    expect(state.ctx).toEqual({ first: [1], found: [2] });
  });

  it('also when two run beside each other', () => {
    const { state } = run(`
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: fetch, args: {base: 10}}, {step: fetch, args: {base: 20}}]}
- step: fetch${FETCH}${RETRY}
  next: {arcs: [{step: keep, args: {own: "{{ fetch }}"}}]}
- step: keep
  spec: {policy: {join: each}}
  tool: {kind: noop, input: {own: "{{ args.own }}"}, set: {ctx.kept: "{{ (ctx.kept | default([])) + [args.own] }}"}}`);
    expect(state.ctx['kept']).toEqual([
      [11, 12],
      [21, 22],
    ]);
  });
});

it('after pages, response is the last call in rules and at arcs, and result is what was collected', () => {
  const { state } = run(`
- step: start${FETCH}${RETRY}
  case:
    - when: "{{ event.name == 'call.done' and response.page == 2 and not response.more }}"
      then: {set: {call: "{{ [response.page, result] }}"}}
    - when: "{{ event.name == 'step.exit' and response.page == 2 }}"
      then: {set: {exit: "{{ [response.rows, result] }}"}, next: [{step: end, args: {seen: "{{ response.page }}"}}]}${END}`);
  expect(state.ctx).toMatchObject({ call: [2, [1, 2]], exit: [[2], [1, 2]] });
  expect(state.executed).toEqual(['start', 'end']);
});
