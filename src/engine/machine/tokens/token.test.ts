import { httpError, playbookOf, simulate } from '../../../../test/support/simulator';

const step = (name: string, next: string, extra = ''): string => `
- step: ${name}
  tool: {kind: python, code: "result = 1"}${extra}${next ? `\n  next: ${next}` : ''}`;
const arcs = (...to: string[]): string => `{arcs: [${to.map((name) => `{step: ${name}}`).join(', ')}]}`;
const all = (...to: string[]): string =>
  `{spec: {mode: inclusive}, arcs: [${to.map((name) => `{step: ${name}}`).join(', ')}]}`;

describe('tokens', () => {
  it('an exclusive router fires the first matching arc', () => {
    const run = simulate(
      playbookOf(`
- step: start
  tool: {kind: noop}
  next:
    arcs:
      - {step: a, when: "{{ workload.pick == 'a' }}"}
      - {step: b, when: "{{ workload.pick in ['a', 'b'] }}"}
      - {step: c}
${step('a', '')}${step('b', '')}${step('c', '')}`),
      { payload: { pick: 'b' } },
    );
    expect(run.state.executed).toEqual(['start', 'b']);
    expect(run.events.find((event) => event.event_type === 'next.evaluated')!.payload['arcs']).toMatchObject([
      { step: 'a', verdict: 'guard is false' },
      { step: 'b', verdict: 'fires' },
      { step: 'c', verdict: 'not evaluated: an earlier arc fired' },
    ]);
  });

  it('a join runs once when the last branch of the fork is there, in whatever order they come', () => {
    const yaml = playbookOf(
      `${step('start', all('a', 'b', 'c'))}${step('a', arcs('a2'))}${step('a2', arcs('end'))}${step('b', arcs('end'))}${step('c', arcs('end'))}${step('end', '')}`,
    );
    for (const choose of [() => 0, (n: number) => n - 1, (n: number) => Math.floor(n / 2)]) {
      const run = simulate(yaml, { choose });
      expect(run.end).toBe('complete');
      expect(run.state.executed.filter((name) => name === 'end')).toHaveLength(1);
      expect(run.state.executed.at(-1)).toBe('end');
      expect(run.state.forks).toEqual({});
    }
  });

  it('merges the arguments of the branches in arc order', () => {
    const run = simulate(
      playbookOf(`${step('start', all('a', 'b'))}
- step: a
  tool: {kind: noop}
  next: {arcs: [{step: end, args: {who: a, deep: {x: 1}}}]}
- step: b
  tool: {kind: noop}
  next: {arcs: [{step: end, args: {who: b, deep: {y: 2}}}]}
- step: end
  tool: {kind: noop, input: {who: "{{ args.who }}", deep: "{{ deep }}"}}`),
    );
    expect(run.result).toEqual({ who: 'b', deep: { x: 1, y: 2 } });
  });

  it('does not wait for a branch that cannot come', () => {
    const run = simulate(
      playbookOf(
        `${step('start', all('a', 'side'))}${step('a', arcs('end'))}${step('side', arcs('archive'))}${step('archive', '')}${step('end', '')}`,
      ),
      { choose: () => 0 },
    );
    expect(run.end).toBe('complete');
    expect(run.state.executed).toEqual(['start', 'a', 'side', 'end', 'archive']);
    expect(run.state.executed.filter((name) => name === 'end')).toHaveLength(1);
  });

  it('goes on when a branch ends on its way', () => {
    const run = simulate(
      playbookOf(`${step('start', all('a', 'b'))}${step('a', arcs('end'))}
- step: b
  tool: {kind: noop}
  next: {arcs: [{step: end, when: "{{ false }}"}]}
${step('end', '')}`),
    );
    expect(run.end).toBe('complete');
    expect(run.state.executed).toEqual(['start', 'a', 'b', 'end']);
  });

  it('nested forks join inside out', () => {
    const yaml = playbookOf(
      `${step('start', all('left', 'right'))}${step('left', all('l1', 'l2'))}${step('l1', arcs('lj'))}${step('l2', arcs('lj'))}${step('lj', arcs('end'))}${step('right', arcs('end'))}${step('end', '')}`,
    );
    for (const choose of [() => 0, (n: number) => n - 1]) {
      const run = simulate(yaml, { choose });
      expect(run.state.executed.filter((name) => name === 'lj')).toHaveLength(1);
      expect(run.state.executed.filter((name) => name === 'end')).toHaveLength(1);
    }
  });

  it('nested forks that meet at one common step still run it once', () => {
    const yaml = playbookOf(
      `${step('start', all('left', 'right'))}${step('left', all('l1', 'l2'))}${step('l1', arcs('end'))}${step('l2', arcs('end'))}${step('right', arcs('end'))}${step('end', '')}`,
    );
    for (const choose of [() => 0, (n: number) => n - 1, (n: number) => Math.floor(n / 2)]) {
      const run = simulate(yaml, { choose });
      expect(run.end).toBe('complete');
      expect(run.state.executed.filter((name) => name === 'end')).toHaveLength(1);
    }
  });

  it('two joins that could wait for each other do not', () => {
    const yaml = playbookOf(
      `${step('start', all('a', 'b'))}${step('a', arcs('p'))}${step('b', arcs('q'))}
- step: p
  tool: {kind: noop}
  next: {arcs: [{step: q, when: "{{ false }}"}]}
- step: q
  tool: {kind: noop}
  next: {arcs: [{step: p, when: "{{ false }}"}]}`,
    );
    const run = simulate(yaml);
    expect(run.end).toBe('complete');
    expect(run.state.executed.slice().sort()).toEqual(['a', 'b', 'p', 'q', 'start']);
  });

  it('join: each runs the step once per token', () => {
    const run = simulate(
      playbookOf(
        `${step('start', all('a', 'b'))}${step('a', arcs('end'))}${step('b', arcs('end'))}${step('end', '', '\n  spec: {policy: {join: each}}')}`,
      ),
    );
    expect(run.state.executed.filter((name) => name === 'end')).toHaveLength(2);
  });

  it('a cycle stores every page and never merges with itself', () => {
    const run = simulate(
      playbookOf(`
- step: start
  tool: {kind: noop}
  set: {ctx.page: 1}
  next: {arcs: [{step: fetch}]}
- step: fetch
  tool: {kind: python, input: {page: "{{ ctx.page }}"}, code: "result = page"}
  set: {ctx.page: "{{ ctx.page + 1 }}"}
  next: {arcs: [{step: fetch, when: "{{ ctx.page <= 4 }}"}, {step: end}]}
- step: end
  tool: {kind: noop, input: {last: "{{ fetch.page }}"}}`),
    );
    expect(run.calls.map((call) => call.task_run_id)).toEqual([1, 2, 3, 4].map((n) => `fetch#${n}~1@1`));
    expect(run.result).toEqual({ last: 4 });
  });

  it('a cycle without an end is a clear error', () => {
    const run = simulate(
      playbookOf(
        `\n- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: start}]}`,
        'executor: {spec: {policy: {limits: {max_step_runs: 50}}}}',
      ),
    );
    expect(run.error).toMatchObject({ code: 'RUNAWAY_STEP', step: 'start' });
    expect(run.state.executed).toHaveLength(50);
  });

  it('two steps that fork into themselves and each other end at the bound of live tokens', () => {
    const next =
      'tool: {kind: noop}\n  next: {spec: {mode: inclusive}, arcs: [{step: start}, {step: other}]}';
    const run = simulate(playbookOf(`\n- step: start\n  ${next}\n- step: other\n  ${next}`));
    expect(run.error).toMatchObject({ code: 'RUNAWAY_FORK' });
    expect(run.error!.message).toMatch(/more than 5000 branches are active.*max_live_tokens/);
    expect(run.state.executed.length).toBeLessThan(15_000);
  });

  it('an admission gate that denies ends the token as skipped', () => {
    const gated = (rules: string): ReturnType<typeof simulate> =>
      simulate(
        playbookOf(`${step('start', arcs('gate'))}
- step: gate
  spec: {policy: {admit: {rules: ${rules}}}}
  tool: {kind: noop, input: {ran: true}}`),
      );
    const denied = gated('[{when: "{{ ctx.open }}", then: {allow: true}}]');
    expect(denied.types).toContain('step.skipped');
    expect(denied.state.executed).toEqual(['start']);
    expect(denied.end).toBe('complete');
    const allowed = gated('[{when: "{{ ctx.closed }}", then: {allow: false}}]');
    expect(allowed.state.executed).toEqual(['start', 'gate']);
  });

  describe('an admission rule', () => {
    const gate = (when: string): string => `
- step: gate
  spec: {policy: {admit: {rules: [{when: "{{ ${when} }}", then: {allow: true}}, {else: {then: {allow: false}}}]}}}
  tool: {kind: noop}`;
    const admitted = (when: string, fails = false): boolean => {
      const yaml = playbookOf(`
- step: start
  tool: {kind: http, url: "http://x"}
  next: {arcs: [{step: gate, when: "{{ event.name in ['step.done', 'step.failed'] }}", args: {n: 7}}]}${gate(when)}`);
      const mocks = { start_task: fails ? httpError(500) : { items: [1] } };
      return simulate(yaml, { mocks, persist: true }).state.executed.includes('gate');
    };

    it.each([
      ["event.name == 'step.done' and event.step == 'start' and event.status == 'ok'", false],
      ["event.name == 'call.done'", false],
      ["event.name == 'call.error' and event.error.code == 'HTTP_500'", true],
      ["event.name != 'step.done'", true],
      ['args.n == 7 and token.args.n == 7 and n == 7', false],
      ['start.items == [1] and workload is mapping and ctx is mapping', false],
    ])('sees the event that brought the token, its arguments, ctx and workload: %s', (when, fails) => {
      expect(admitted(when, fails)).toBe(true);
      expect(admitted(`not (${when})`, fails)).toBe(false);
    });

    it('sees no event before the first step', () => {
      const entry = playbookOf(gate('event is not defined').replace('step: gate', 'step: start'));
      expect(simulate(entry).state.executed).toEqual(['start']);
    });
  });

  it('a failed step offers its token only to arcs that look at the failure', () => {
    const run = simulate(
      playbookOf(`
- step: start
  tool: {kind: http, url: "http://x"}
  next:
    arcs:
      - {step: store, when: "{{ start.items | default([]) | length == 0 }}"}
      - {step: cleanup, when: "{{ event.name == 'step.failed' }}", args: {why: "{{ event.error.code }}"}}
${step('store', '')}
- step: cleanup
  tool: {kind: noop, input: {why: "{{ args.why }}"}}`),
      { mocks: { start_task: httpError(500) } },
    );
    expect(run.state.executed).toEqual(['start', 'cleanup']);
    expect(run.result).toEqual({ why: 'HTTP_500' });
  });

  it('event aliases match as the generations of the language spell them', () => {
    const route = (guard: string, fails: boolean): string[] =>
      simulate(
        playbookOf(`
- step: start
  tool: {kind: http, url: "http://x"}
  next: {arcs: [{step: hit, when: "{{ ${guard} }}"}]}
${step('hit', '')}`),
        { mocks: { start_task: fails ? httpError(500) : 1 } },
      ).state.executed;
    expect(route("event.name == 'call.done'", false)).toEqual(['start', 'hit']);
    expect(route("event.name == 'step.exit'", false)).toEqual(['start', 'hit']);
    expect(route("event.name in ['step.done', 'x']", false)).toEqual(['start', 'hit']);
    expect(route("event.name == 'call.error'", false)).toEqual(['start']);
    expect(route("event.name == 'call.error'", true)).toEqual(['start', 'hit']);
    expect(route("event.name == 'step.exit'", true)).toEqual(['start']);
    expect(route("event.name != 'step.failed'", true)).toEqual(['start']);
  });

  it('a task that one batch both asks for and cancels is never asked for', () => {
    const run = simulate(
      playbookOf(`${step('start', all('slow', 'broken'))}${step('slow', '')}
- step: broken
  loop: {in: "{{ 5 }}", iterator: n}
  tool: {kind: noop}`),
    );
    expect(run.error).toMatchObject({ code: 'LOOP_IN', step: 'broken' });
    expect(run.calls.map((call) => call.step)).toEqual(['start']);
    expect(run.end).toBe('fail');
    const slow = run.events.filter(
      (event) => event.task_run_id?.startsWith('slow#1') && event.entity_type === 'task',
    );
    expect(slow.map((event) => event.event_type)).toEqual(['task.started', 'task.failed']);
  });

  it('fail_fast cancels the other branches, best_effort lets them finish', () => {
    const yaml = (mode: string): string =>
      playbookOf(
        `${step('start', all('bad', 'slow'))}${step('bad', '')}${step('slow', arcs('slow2'))}${step('slow2', '')}`,
        `executor: {spec: {policy: {failure: {mode: ${mode}}}}}`,
      );
    const mocks = { bad: httpError(500) };
    const fast = simulate(yaml('fail_fast'), { mocks });
    expect(fast.end).toBe('fail');
    expect(fast.state.executed).not.toContain('slow2');
    const best = simulate(yaml('best_effort'), { mocks });
    expect(best.end).toBe('fail');
    expect(best.state.executed).toContain('slow2');
    expect(best.error).toMatchObject({ step: 'bad', code: 'HTTP_500' });
  });
});
