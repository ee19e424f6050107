/** One loop, one shape: what a loop came to reads as its list and as its mapping, wherever it stands. */
import { looped } from '../../../../test/support/loops';
import {
  httpError,
  playbookOf,
  type SimulationOptions,
  simulate,
  type Simulation,
} from '../../../../test/support/simulator';

const EACH = `
- step: start
  loop: {in: "{{ workload.items }}", iterator: n}
  tool: {kind: python, input: {n: "{{ n }}"}, code: "result = 1"}`;
const items = [...Array(20).keys()];
const all = looped(items.map((n) => ({ n })));

function run(steps: string, options: SimulationOptions = {}): Simulation {
  const done = simulate(playbookOf(steps), { payload: { items }, ...options });
  expect(done.error).toBeUndefined();
  return done;
}

/** What the last step sees of `x`, as list and as mapping. */
const LOOK = (x: string): string =>
  `{n: "{{ ${x} | length }}", second: "{{ ${x}[1].n }}", last: "{{ ${x}[-1].n }}", count: "{{ ${x}.count }}",
    ok: "{{ ${x}.stats.success }}", got: "{{ ${x}.get('results') | length }}", whole: "{{ ${x} }}"}`;
const SEEN = { n: 20, second: 1, last: 19, count: 20, ok: 20, got: 20, whole: all };

describe('what a loop came to', () => {
  it.each(['start', 'start.data', 'start.result'])('is the same behind %s', (x) => {
    expect(
      run(`${EACH}\n  next: [end]\n- step: end\n  tool: {kind: noop, input: ${LOOK(x)}}`).result,
    ).toEqual(SEEN);
  });

  it('is the same in `vars` of `result`, `response` and the name of the step, and later behind the variable', () => {
    const { state, result } = run(`${EACH}
  vars: {r: "{{ result }}", s: "{{ response }}", t: "{{ start }}", n: "{{ result | length }}", m: "{{ response[2].n }}"}
  next: [end]
- step: end
  tool: {kind: noop, input: {r: ${LOOK('vars.r')}, s: ${LOOK('ctx.s')}, t: ${LOOK('t')}}}`);
    expect(state.ctx).toEqual({ r: all, s: all, t: all, n: 20, m: 2 });
    expect(result).toEqual({ r: SEEN, s: SEEN, t: SEEN });
  });

  it('is the same in guards and arguments of arcs and of rules at the boundary', () => {
    const arcs = run(`${EACH}
  next: {arcs: [{step: end, when: "{{ response | length == 20 and response.stats.failed == 0 and start[3].n == 3 }}",
    args: {r: "{{ response }}"}}]}
- step: end
  tool: {kind: noop, input: ${LOOK('args.r')}}`);
    expect(arcs.result).toEqual(SEEN);
    const rule = run(`${EACH}
  case:
    - when: "{{ event.name == 'loop.done' and response | length == 20 and response.count == 20 }}"
      then: {next: [{step: end, args: {r: "{{ result }}", s: "{{ response }}", t: "{{ this }}"}}]}
- step: end
  tool: {kind: noop, input: {r: ${LOOK('r')}, s: ${LOOK('s')}}}`);
    expect(rule.result).toEqual({ r: SEEN, s: SEEN });
  });

  it('is a plain mapping to tools and to whoever reads the result', () => {
    const { calls, result } = run(`${EACH}
  next: [report]
- step: report
  tool: {kind: python, input: {whole: "{{ start }}", list: "{{ start | list }}"}, code: "result = context['start']"}
  next: [end]
- step: end
  tool: {kind: noop, input: {e: "{{ report }}"}}`);
    const call = calls.at(-1)!;
    expect(call.input).toEqual({ whole: all, list: all.results });
    expect(call.context!['start']).toEqual(all);
    expect(Object.keys(all)).toEqual(['results', 'count', 'stats']);
    expect(run(EACH).result).toEqual(all);
    expect(result).toEqual({ e: { whole: all, list: all.results } });
  });

  it.each(['{{ start }}', '{{ vars.kept }}', '{{ args.given }}'])(
    'is iterated over by loop.in: %s',
    (list) => {
      const { calls } = run(`${EACH}
  vars: {kept: "{{ result }}"}
  next: [{step: again, args: {given: "{{ start }}"}}]
- step: again
  loop: {in: "${list}", iterator: each}
  tool: {kind: python, input: {at: "{{ each.n }}"}, code: "result = 1"}`);
      expect(calls.slice(20).map(({ input }) => input['at'])).toEqual(items);
    },
  );

  it.each(['distributed', 'local'])('is the same in iterations that are %s', (exec) => {
    const { result } = run(`${EACH}
  vars: {kept: "{{ result }}"}
  next: [far]
- step: far
  loop: {in: [1], iterator: x, spec: {policy: {exec: ${exec}}}}
  tool: {kind: python, input: {name: ${LOOK('start')}, kept: ${LOOK('vars.kept')}}, code: "result = 1"}`);
    expect(result).toEqual(looped([{ name: SEEN, kept: SEEN }]));
  });

  it('survives a fresh history', () => {
    const steps = `${EACH}\n  vars: {kept: "{{ result }}"}\n  next: [end]\n- step: end\n  tool: {kind: noop, input: ${LOOK('vars.kept')}}`;
    expect(run(steps, { persist: true }).result).toEqual(SEEN);
  });

  it('adds its results where lists are gathered', () => {
    const { state } = run(`${EACH}
  case:
    - when: "{{ event.name == 'loop.done' }}"
      then: {collect: {from: "{{ result }}", into: ctx.seen, mode: extend}}`);
    expect(state.ctx).toEqual({ seen: all.results });
  });

  it('of a task is that of a step: in its pipeline, in the outcome, inside other loops', () => {
    const inner = `{name: inner, kind: iterator, in: [1, 2], iterator: m, tool: [{name: leaf, kind: python, input: {m: "{{ m }}"}, code: "result = 1"}]}`;
    const { calls, result } = run(`
- step: start
  loop: {in: [10], iterator: n}
  tool:
    - ${inner}
    - {name: after, kind: python, input: {n: "{{ inner | length }}", first: "{{ inner[0].m }}", prev: "{{ _prev[1].m }}",
        ok: "{{ inner.stats.success }}", data: "{{ inner.data[1].m }}", whole: "{{ inner }}"}, code: "result = 1"}
    - ${inner.replaceAll('inner', 'again').replaceAll('leaf', 'twig')}
  next: [end]
- step: end
  tool: {kind: noop, input: {deep: "{{ start[0][1].m }}", n: "{{ start[0] | length }}", ok: "{{ start[0].stats.total }}", whole: "{{ start }}"}}`);
    const both = looped([{ m: 1 }, { m: 2 }]);
    const after = calls.find(({ task }) => task === 'after')!;
    expect(after.input).toEqual({ n: 2, first: 1, prev: 2, ok: 2, data: 2, whole: both });
    expect(result).toEqual({ deep: 2, n: 2, ok: 2, whole: looped([both]) });
  });
});

describe('iterations that were never started', () => {
  const stats = ({ events }: Simulation): unknown[] =>
    events.filter(({ event_type }) => event_type === 'loop.done').map(({ payload }) => payload['stats']);

  it('are counted when a rule ends the loop early', () => {
    const early = run(`${EACH.replace('iterator: n', 'iterator: n, spec: {mode: sequential}')}
  case:
    - when: "{{ event.name == 'call.done' and n == 4 }}"
      then: {end_loop: true, next: [{step: end}]}
- step: end
  tool: {kind: noop, input: {s: "{{ start.stats }}", n: "{{ start | length }}"}}`);
    const expected = { total: 20, success: 5, failed: 0, not_started: 15 };
    expect(early.result).toEqual({ s: expected, n: 20 });
    expect(stats(early)).toEqual([expected]);
  });

  it.each(['', ', exec: distributed', ', exec: local'])(
    'are counted when the first failure ends the loop%s',
    (exec) => {
      const failed = run(
        `${EACH.replace('iterator: n', `iterator: n, spec: {mode: sequential${exec}}`)}
  next: {arcs: [{step: end, when: "{{ event.name == 'step.failed' }}"}]}
- step: end
  tool: {kind: noop, input: {s: "{{ start.stats }}"}}`,
        {
          mocks: { start: ({ iteration, input }) => (iteration === 3 ? httpError(500) : { n: input['n']! }) },
        },
      );
      expect(failed.result).toEqual({ s: { total: 20, success: 3, failed: 1, not_started: 16 } });
    },
  );

  it('of a loop inside a pipeline are counted too', () => {
    const failed = run(
      `
- step: start
  tool:
    - name: inner
      kind: iterator
      in: "{{ workload.items }}"
      iterator: n
      tool: [{name: leaf, kind: python, input: {n: "{{ n }}"}, code: "result = 1"}]
      spec: {mode: sequential, policy: {rules: [{else: {then: {do: continue, set: {ctx.stats: "{{ output.stats }}"}}}}]}}`,
      { mocks: { leaf: ({ input }) => (input['n'] === 1 ? httpError(500) : {}) } },
    );
    expect(failed.state.ctx).toEqual({ stats: { total: 20, success: 1, failed: 1, not_started: 18 } });
  });
});
