/** Loops whose iterations run elsewhere: the same results, writes and events as where the loop is. */
import fc from 'fast-check';
import { cases } from '../../../../test/support/properties';
import { simulatePlan } from '../../../offline/drive';
import {
  httpError,
  ok,
  planOf,
  playbookOf,
  simulate,
  type Mocks,
  type Simulation,
} from '../../../../test/support/simulator';
import { type Json, type Outcome, type Plan, secretHandle, type TaskCall } from '../../../language/plan';
import { type Input } from '../batch/inputs';
import { Machine } from '../machine';

const EXECS = ['inline', 'local', 'distributed'] as const;
type Exec = (typeof EXECS)[number];

function loop(exec: Exec, spec: string, tool: string, more = ''): string {
  return playbookOf(`
- step: start
  loop: {in: "{{ workload.items }}", iterator: item, spec: {${spec}, policy: {exec: ${exec}}}}
  ${more}
  tool:
${tool}
  next: {arcs: [{step: end, when: "{{ event.name == 'loop.done' }}"}]}
- step: end
  tool: {kind: noop, input: {all: "{{ start }}", stats: "{{ start.stats }}", c: "{{ ctx | tojson }}"}}`);
}

const PIPELINE = `
    - {name: a, kind: python, input: {x: "{{ item }}", at: "{{ loop_index }}", of: "{{ loop.length }}", last: "{{ iter._last }}"}, code: "result = 1",
       spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 3, delay: 2}}, {else: {then: {do: continue, set: {iter.seen: "{{ output.data.x }}"}}}}]}}}
    - {name: b, kind: noop, input: {seen: "{{ iter.seen }}", key: "{{ job.idempotency_key }}", id: "{{ execution_id }}", a: "{{ a.x }}"}}`;

/** Events without those of chunks, in an order that does not depend on which iteration ran first. */
function trace(run: Simulation): string[] {
  return (
    run.events
      // The digest tells the playbooks apart.
      .filter(
        ({ event_type }) =>
          !event_type.startsWith('loop.chunk.') && event_type !== 'playbook.request.evaluated',
      )
      .map((event) => JSON.stringify(event))
      .sort()
  );
}

function comparable(run: Simulation): unknown {
  const { ctx, executed, results } = run.state;
  return { end: run.end, result: run.result, error: run.error, ctx, executed, results };
}

describe.each(['mode: sequential', 'mode: parallel', 'mode: parallel, max_in_flight: 3'])(
  'a loop, %s',
  (mode) => {
    const runsOf = (): Simulation[] =>
      EXECS.map((exec) =>
        simulate(loop(exec, mode, PIPELINE), {
          payload: { items: [...Array(23).keys()] },
          mocks: {
            a: (call) =>
              call.attempt === 1 && call.iteration! % 3 === 0 ? httpError(503) : { ...call.input },
          },
          persist: true,
        }),
      );

    it('comes to the same wherever its iterations run', () => {
      const runs = runsOf();
      expect(runs[0]!.end).toBe('complete');
      for (const run of runs) expect(comparable(run)).toEqual(comparable(runs[0]!));
    });

    it('counts the same tasks and repetitions', () => {
      for (const { state } of runsOf()) expect(state.counters).toMatchObject({ tasks: 23 + 8, retries: 8 });
    });

    it('asks for the same calls, with the same ids', () => {
      const ids = (run: Simulation): string[] => run.calls.map((call) => call.idempotency_key).sort();
      const runs = runsOf();
      for (const run of runs) expect(ids(run)).toEqual(ids(runs[0]!));
    });
  },
);

it('tells the same events', () => {
  const [inline, local, distributed] = EXECS.map((exec) =>
    simulate(loop(exec, 'mode: sequential', PIPELINE), { payload: { items: ['a', 'b', 'c'] } }),
  );
  expect(trace(local!)).toEqual(trace(inline!));
  expect(trace(distributed!)).toEqual(trace(inline!));
});

describe('chunks', () => {
  const chunksOf = (run: Simulation): { first: number; count: number }[] =>
    run.events
      .filter(({ event_type }) => event_type === 'loop.chunk.started')
      .map(({ payload }) => ({ first: payload.first as number, count: payload.count as number }));

  it('cover every item once, in order', () => {
    const run = simulate(loop('distributed', 'mode: parallel', PIPELINE), {
      payload: { items: [...Array(333).keys()] },
    });
    const chunks = chunksOf(run);
    expect(chunks).toHaveLength(16);
    expect(chunks.flatMap(({ first, count }) => [...Array(count).keys()].map((n) => first + n))).toEqual([
      ...Array(333).keys(),
    ]);
  });

  it('hold to max_in_flight over all of them', () => {
    const run = simulate(loop('distributed', 'mode: parallel, max_in_flight: 5', PIPELINE), {
      payload: { items: [...Array(100).keys()] },
    });
    let live = 0;
    let most = 0;
    for (const { event_type } of run.events) {
      if (event_type === 'loop.chunk.started') most = Math.max(most, ++live);
      if (event_type === 'loop.chunk.done') live--;
    }
    expect(most).toBe(5);
    expect(run.state.executed).toEqual(['start', 'end']);
  });

  it('one after the other when the loop is sequential: each sees what those before wrote', () => {
    const tool = `
    - {name: a, kind: noop, input: {x: "{{ item }}"}, set: {ctx.sum: "{{ (ctx.sum | default(0)) + item }}"}}`;
    for (const exec of EXECS) {
      const run = simulate(loop(exec, 'mode: sequential', tool), {
        payload: { items: [...Array(40).keys()] },
      });
      expect(run.state.ctx).toEqual({ sum: 780 });
    }
  });

  it('that leave different values in one key fail the loop, naming the iterations', () => {
    const tool = `
    - {name: a, kind: noop, set: {ctx.mine: "{{ item }}"}}`;
    for (const exec of EXECS) {
      const run = simulate(loop(exec, 'mode: parallel', tool), { payload: { items: [7, 8] } });
      expect(run.error).toMatchObject({ code: 'CTX_CONFLICT', step: 'start' });
      expect(run.error!.message).toContain('ctx.mine (items of index 0, 1)');
    }
  });

  it('may leave the same value in one key', () => {
    const tool = `
    - {name: a, kind: noop, set: {ctx.same: 1}}`;
    for (const exec of EXECS) {
      expect(simulate(loop(exec, 'mode: parallel', tool), { payload: { items: [7, 8] } }).state.ctx).toEqual({
        same: 1,
      });
    }
  });
});

describe('failures', () => {
  const tool = `
    - {name: a, kind: python, input: {x: "{{ item }}"}, code: "result = 1"}`;
  const mocks: Mocks = {
    a: (call) => (call.input['x'] === 5 ? httpError(404) : { x: call.input['x'] ?? null }),
  };

  it('end a fail_fast loop with the cause of the iteration', () => {
    for (const exec of EXECS) {
      const run = simulate(loop(exec, 'mode: sequential', tool), {
        payload: { items: [...Array(64).keys()] },
        mocks,
      });
      expect(run.error).toMatchObject({ code: 'HTTP_404', step: 'start', task: 'a', iteration: 5 });
      expect(run.calls.filter((call) => Number(call.input['x']) > 5)).toEqual([]);
    }
  });

  it('are counted by a best_effort loop', () => {
    for (const exec of EXECS) {
      const run = simulate(
        loop(exec, 'mode: parallel', tool, 'spec: {policy: {failure: {mode: best_effort}}}'),
        {
          payload: { items: [...Array(64).keys()] },
          mocks,
        },
      );
      expect(run.result).toMatchObject({ stats: { total: 64, success: 63, failed: 1 } });
      const { results } = (run.result as { all: { results: unknown[] } }).all;
      expect([results[5], results[63]]).toEqual([null, { x: 63 }]);
    }
  });

  it('of one chunk cancel the others', () => {
    const run = simulate(loop('distributed', 'mode: parallel', tool), {
      payload: { items: [...Array(64).keys()] },
      mocks,
      choose: (n) => n - 1,
    });
    expect(run.error).toMatchObject({ code: 'HTTP_404' });
    expect(run.state.chunks).toEqual({});
    expect(run.events.filter(({ event_type }) => event_type === 'loop.chunk.failed').length).toBeGreaterThan(
      1,
    );
  });
});

describe('control', () => {
  const tool = `
    - {name: a, kind: python, input: {x: "{{ item }}"}, code: "result = 1"}`;
  const items = [...Array(6).keys()];

  it('pause holds the next chunk, resume lets it go', () => {
    for (const exec of ['local', 'distributed'] as const) {
      const inject: Record<number, Input[]> = { 1: [{ type: 'paused' }] };
      const held = simulate(loop(exec, 'mode: sequential', tool), { payload: { items }, inject });
      expect(held.end).toBe('stuck');
      expect(held.calls).toHaveLength(1);
      const run = simulate(loop(exec, 'mode: sequential', tool), {
        payload: { items },
        inject: { 1: [{ type: 'paused' }], 2: [{ type: 'resumed' }] },
      });
      expect(run.end === 'complete' || run.calls.length === 1).toBe(true);
    }
  });

  it('cancel ends all chunks and then the execution', () => {
    for (const exec of ['local', 'distributed'] as const) {
      const run = simulate(loop(exec, 'mode: parallel', tool), {
        payload: { items },
        inject: { 1: [{ type: 'cancelRequested', reason: 'enough' }] },
      });
      expect(run.end).toBe('cancelled');
      expect(run.state.chunks).toEqual({});
      expect(run.state.pending).toEqual({});
    }
  });

  it('a step timeout cancels the chunks and fails the step', () => {
    for (const exec of ['local', 'distributed'] as const) {
      const slow = `
    - {name: a, kind: python, code: "result = 1", spec: {policy: {rules: [{when: "{{ true }}", then: {do: retry, attempts: 9, delay: 100}}]}}}`;
      const plan = planOf(loop(exec, 'mode: parallel', slow, 'spec: {lifecycle: {timeout_s: 5}}'));
      const world = { answer: () => ({ outcome: ok(null), after: 10 }) };
      const run = simulatePlan(plan, world, { payload: { items } });
      expect(run.error).toMatchObject({ code: 'STEP_TIMEOUT' });
      expect(run.elapsed).toBe(5000);
    }
  });
});

describe('a chunk that is stopped', () => {
  const started: Input = { type: 'started', payload: { items: [1, 2] } };
  const tool = "\n    - {name: a, kind: python, code: 'result = 1'}";
  const asked = (plan: Plan) => {
    const { commands } = Machine.create(plan, '1', 0).apply({ at: 0, inputs: [started] });
    return { commands, chunks: commands.flatMap((one) => (one.type === 'runChunk' ? [one.chunk] : [])) };
  };

  it.each([
    ['enough', 'enough'],
    [undefined, 'the execution was cancelled'],
  ])(
    'by a cancel (%s) ends with what it had under way, and leaves it to the execution to say so',
    (reason, said) => {
      const plan = planOf(loop('distributed', 'mode: sequential', tool));
      const [chunk] = asked(plan).chunks;
      const machine = Machine.forChunk(plan, chunk!, 0);
      machine.apply({ at: 0, inputs: [{ type: 'chunkStarted' }] });
      const first = machine.apply({ at: 1, inputs: [{ type: 'cancelRequested', reason }] });
      const taskRunId = 'start#1[0].a~1@1';
      expect(first.commands).toEqual([{ type: 'cancelTask', taskRunId }]);
      const last = machine.apply({ at: 2, inputs: [{ type: 'taskSettled', taskRunId, outcome: ok(1) }] });
      const cause = { kind: 'cancelled', code: 'CANCELLED', message: said };
      expect(last.commands).toMatchObject([{ type: 'chunkEnded', result: { cause, done: 0 } }]);
      expect(machine.state.status).toBe('failed');
      const told = [...first.events, ...last.events].map(({ event_type }) => event_type);
      expect(told.filter((type) => type.startsWith('playbook.') || type.startsWith('workflow.'))).toEqual([]);
    },
  );

  it('ends as completed when its iterations did', () => {
    const plan = planOf(loop('distributed', 'mode: parallel', tool));
    const [chunk] = asked(plan).chunks;
    const machine = Machine.forChunk(plan, chunk!, 0);
    const { commands } = machine.apply({ at: 0, inputs: [{ type: 'chunkStarted' }] });
    const inputs = commands.flatMap((one): Input[] =>
      one.type === 'runTask'
        ? [{ type: 'taskSettled', taskRunId: one.call.task_run_id, outcome: ok(1) }]
        : [],
    );
    expect(machine.apply({ at: 1, inputs }).commands).toMatchObject([{ type: 'chunkEnded' }]);
    expect(machine.state.status).toBe('completed');
  });

  it('in the very batch that asked for it is taken back: nobody hears of it', () => {
    const plan = planOf(
      playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: first}, {step: many}, {step: broken}]}
- step: first
  tool: {kind: python, code: "result = 1"}
- step: many
  loop: {in: "{{ workload.items }}", iterator: item, spec: {mode: parallel, policy: {exec: distributed}}}
  tool: {kind: python, code: "result = 1"}
- step: broken
  tool: {kind: noop, input: {x: "{{ 1 / 0 }}"}}`),
    );
    const machine = Machine.create(plan, '1', 0);
    const { commands } = machine.apply({ at: 0, inputs: [started] });
    expect(commands.map(({ type }) => type)).toEqual(['fail']);
    expect([machine.state.chunks, machine.state.pending]).toEqual([{}, {}]);
  });
});

it('holds for every loop: where iterations run changes nothing', () => {
  fc.assert(
    fc.property(
      fc.record({
        count: fc.integer({ min: 0, max: 40 }),
        mode: fc.constantFrom('mode: sequential', 'mode: parallel', 'mode: parallel, max_in_flight: 2'),
        bad: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 3 }),
        choices: fc.array(fc.nat(), { maxLength: 30 }),
      }),
      ({ count, mode, bad, choices }) => {
        const runs = EXECS.map((exec) => {
          let position = 0;
          return simulate(loop(exec, mode, PIPELINE, 'spec: {policy: {failure: {mode: best_effort}}}'), {
            payload: { items: [...Array(count).keys()] },
            mocks: {
              a: (call) => (bad.includes(call.input['x'] as number) ? httpError(500) : { ...call.input }),
            },
            choose: (n) => (choices[position++] ?? 0) % n,
            persist: true,
          });
        });
        for (const run of runs) expect(comparable(run)).toEqual(comparable(runs[0]!));
      },
    ),
    cases(60),
  );
});

it('takes along what handles of secrets stand for, and brings back those of its own', () => {
  const of = (id: string): Outcome => ({
    ...ok({ value: secretHandle(id) }),
    meta: { secrets: { [id]: { ref: { provider: 'environment', secret: id } } } },
  });
  for (const exec of EXECS) {
    const yaml = playbookOf(`
- step: start
  tool: {kind: secrets, provider: environment, secret: a1}
  next: {arcs: [{step: each}]}
- step: each
  loop: {in: [1], iterator: item, spec: {policy: {exec: ${exec}}}}
  tool:
    - {name: fetch, kind: secrets, provider: environment, secret: b2}
    - {name: use, kind: http, url: "http://x", headers: {a: "{{ start.value }}", b: "{{ fetch.value }}"}}
    - {name: give, kind: noop, input: {b: "{{ fetch.value }}"}}
  next: {arcs: [{step: last}]}
- step: last
  tool: {kind: http, url: "http://y", headers: {b: "{{ each[0].b }}"}}`);
    const calls: TaskCall[] = [];
    const answer = (outcome: Outcome) => (call: TaskCall) => (calls.push(call), outcome as unknown as Json);
    simulate(yaml, {
      mocks: {
        start: answer(of('a1')),
        fetch: answer(of('b2')),
        use: answer(ok(null)),
        last: answer(ok(null)),
      },
      persist: true,
    });
    const known = calls
      .filter(({ kind }) => kind === 'http')
      .map(({ secrets }) => Object.keys(secrets ?? {}));
    expect({ exec, known: known.map((ids) => ids.sort()) }).toEqual({ exec, known: [['a1', 'b2'], ['b2']] });
  }
});
