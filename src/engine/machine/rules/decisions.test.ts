/** What rules decide where several things come together: used-up attempts, repetitions, choices that compete. */
import { handPlan, type StepSketch, type TaskSketch } from '../../../../test/support/plans';
import { httpError, type Mocks, ok, simulate, type Simulation } from '../../../../test/support/simulator';
import { drive } from '../../../../test/support/strict-driver';
import { type Outcome } from '../../../language/plan';

const CALL = "event.name == 'call.done'";
const EXIT = "event.name == 'step.exit'";
const sink: TaskSketch = { name: 'store', kind: 'postgres', input: { got: '{{ result }}' } };

function run(
  step: Omit<StepSketch, 'name'>,
  mocks: Mocks = {},
  more: readonly StepSketch[] = [],
): Simulation {
  const steps = ['a', 'b'].map((name) => ({ name, tasks: [] }));
  return simulate(handPlan([{ name: 'start', ...step }, ...more, ...steps]), { mocks, persist: true });
}
const callsOf = ({ calls }: Simulation, name: string): number =>
  calls.filter(({ task }) => task === name).length;
const notesOf = ({ state }: Simulation): unknown[] => state.notes?.kept.map(({ code }) => code) ?? [];
const one: readonly TaskSketch[] = [{ name: 'call' }];

describe('attempts that are used up', () => {
  const poll = {
    when: `${CALL} and not response.ready`,
    actions: [{ do: 'retry', attempts: 2, delay: 0 }],
  } as const;
  const next = {
    when: `${CALL} and response.more`,
    actions: [{ do: 'call', overrides: { input: { page: 2 } } }],
  } as const;

  it('leave the pages to the rule that turns them: a page is another call', () => {
    const simulated = run(
      { tasks: one, case: [poll, next] },
      { call: ({ input }) => ok(input['page'] === 2 ? { ready: true } : { ready: false, more: true }) },
    );
    expect([simulated.end, callsOf(simulated, 'call')]).toEqual(['complete', 3]);
  });

  it('of a retry that lets the outcome stand ask no other policy', () => {
    const retry = [
      { when: 'not data.ready', attempts: 2, delay: 0 },
      { when: 'data.more', attempts: 9, overrides: { input: { page: 2 } } },
    ];
    const simulated = run({ tasks: [{ name: 'call', retry }] }, { call: ok({ ready: false, more: true }) });
    expect([simulated.end, callsOf(simulated, 'call')]).toEqual(['complete', 2]);
  });

  it('of a pipeline are those of the pipeline', () => {
    const tasks = [{ name: 'call' }, { name: 'last' }];
    const simulated = run({ tasks, case: [poll] }, { last: ok({ ready: false }) });
    expect([simulated.end, callsOf(simulated, 'call')]).toEqual(['complete', 2]);
  });

  it.each([
    ['pages of a success', ok({ more: true }), ['PAGES_LEFT']],
    ['pages of an error', httpError(503), []],
  ])('%s: what is noted', (_, outcome, notes) => {
    const page = {
      when: 'true',
      actions: [{ do: 'retry', attempts: 2, overrides: { input: { page: 2 } } }],
    } as const;
    const simulated = run({ tasks: one, case: [{ ...page, on: ['call'] }] }, { call: outcome });
    expect([callsOf(simulated, 'call'), notesOf(simulated)]).toEqual([2, notes]);
    for (const { message } of simulated.state.notes?.kept ?? [])
      expect(message).toMatch(/limit was reached, and true still holds/);
  });
});

it('a page that a rule of the step asked for belongs to no policy of the task', () => {
  const simulated = run(
    {
      tasks: [{ name: 'call', retry: [{ attempts: 2 }] }],
      case: [
        { when: "event.name == 'call.error'", actions: [{ do: 'fail' }] },
        {
          when: `${CALL} and _retry.index < 3`,
          actions: [{ do: 'call', overrides: { input: { page: 2 } } }],
        },
      ],
    },
    { call: ok(1) },
  );
  expect([simulated.end, callsOf(simulated, 'call')]).toEqual(['complete', 3]);
});

describe('rules of a task', () => {
  it('that do not match an error let the pipeline go on', () => {
    const tasks = [{ name: 'call', rules: [{ when: 'false', do: 'fail' as const }] }, { name: 'last' }];
    const simulated = run({ tasks }, { call: httpError(404) });
    expect([simulated.end, callsOf(simulated, 'last')]).toEqual(['complete', 1]);
  });

  it('that fail it store nothing of a success', () => {
    const tasks = [{ name: 'call', sinks: ['store'], rules: [{ do: 'fail' as const }] }];
    const simulated = run({ tasks, asides: [sink] });
    expect([simulated.end, callsOf(simulated, 'store')]).toEqual(['fail', 0]);
    expect(simulated.error).toMatchObject({ task: 'call', message: 'a rule ended the task: else' });
  });

  it('store, and then writes that cannot be evaluated fail it where it is', () => {
    const simulated = run({ tasks: [{ name: 'call', set: { 'ctx.x': '{{ 1 / 0 }}' } }] });
    expect(simulated.error).toMatchObject({ step: 'start', task: 'call', attempt: 1, kind: 'expression' });
    expect(simulated.error!.message).toMatch(/set of task call/);
  });
});

it('pages without an end fail the task; what the step then gathers is not of its last call', () => {
  const page = { when: 'success', attempts: 99, overrides: { input: { page: 2 } } };
  const collect = { do: 'collect', from: 1, into: 'ctx.all', mode: 'push' } as const;
  const rule = { when: "event.name == 'call.error'", readsFailure: true, actions: [collect] } as const;
  const plan = handPlan([{ name: 'start', tasks: [{ name: 'call', retry: [page] }], case: [rule] }]);
  const simulated = simulate(
    { ...plan, limits: { ...plan.limits, maxTaskVisits: 3 } },
    { mocks: { call: ok(1) } },
  );
  expect([simulated.error!.code, callsOf(simulated, 'call')]).toEqual(['RUNAWAY_TASK', 3]);
  const patched = simulated.events.find(({ event_type }) => event_type === 'ctx.patched');
  expect(patched!.parent_id).toBe('start#1');
});

describe('choices of a route', () => {
  const choose = (when: string, arc: number) => ({ when, actions: [{ do: 'next', arcs: [arc] }] }) as const;
  const arcs = [
    { step: 'a', rule: 0 },
    { step: 'b', rule: 1 },
  ];

  it('that of the call and that of the end are united', () => {
    const simulated = run({ tasks: one, case: [choose(CALL, 0), choose(EXIT, 1)], next: arcs });
    expect(simulated.state.executed).toEqual(['start', 'a', 'b']);
  });

  it('each target once, with the arguments of the first choice; a second one is a note', () => {
    const same = [0, 1].map((rule) => ({ step: 'a', rule, args: { by: rule } }));
    const simulated = run({ tasks: one, case: [choose(EXIT, 0), choose(CALL, 1)], next: same });
    expect(simulated.state.executed).toEqual(['start', 'a']);
    const [scheduled] = simulated.events.filter(
      ({ event_type, entity_id }) => event_type === 'step.scheduled' && entity_id === 'a',
    );
    expect(scheduled!.payload['args']).toEqual({ by: 1 });
    expect(simulated.state.notes!.kept).toMatchObject([{ code: 'CHOICE_DROPPED', step: 'start' }]);
  });

  it('one that was made before the end failed does not fire', () => {
    const failing = { when: EXIT, actions: [{ do: 'fail' }] } as const;
    const simulated = run({ tasks: one, case: [choose(CALL, 0), failing], next: arcs });
    expect([simulated.end, simulated.state.executed]).toEqual(['fail', ['start']]);
  });

  it('a rule that stores in iterations only moves at the boundary of an empty loop', () => {
    const stores = {
      when: EXIT,
      actions: [
        { do: 'sink', task: 'store' },
        { do: 'next', arcs: [0] },
      ],
    } as const;
    const step = { tasks: one, loop: { in: [], as: 'n' }, asides: [sink], next: arcs };
    const simulated = run({ ...step, case: [stores] });
    expect([simulated.state.executed, callsOf(simulated, 'store')]).toEqual([['start', 'a'], 0]);
  });
});

describe('a repetition', () => {
  const again = (when: string) => ({ when, actions: [{ do: 'retry', attempts: 3, delay: 0 }] }) as const;

  it.each<[string, Omit<StepSketch, 'name'>, number]>([
    ['before the step', { tasks: one, case: [again("event.name == 'step.enter'")] }, 1],
    [
      'at the boundary of a loop',
      { tasks: one, loop: { in: [1, 2], as: 'n' }, case: [again("event.name == 'loop.done'")] },
      2,
    ],
    ['of a step without tasks', { tasks: [], case: [again(EXIT)] }, 0],
  ])('%s repeats nothing: nothing was called', (_, step, calls) => {
    const simulated = run(step);
    expect([simulated.end, simulated.calls.length]).toEqual(['complete', calls]);
  });

  it('at the end of the step asks for its end anew', () => {
    const count = { 'ctx.ends': '{{ (ctx.ends | default(0)) + 1 }}' };
    const exit = {
      when: EXIT,
      actions: [
        { do: 'set', set: count },
        { do: 'retry', attempts: 3, delay: 0 },
      ],
    } as const;
    const simulated = run({
      tasks: one,
      case: [exit],
      set: { 'ctx.written': '{{ (ctx.written | default(0)) + 1 }}' },
    });
    expect([callsOf(simulated, 'call'), simulated.state.ctx]).toEqual([3, { ends: 2, written: 1 }]);
  });

  it.each([
    ['delay', { delay: 'soon' }],
    ['multiplier', { multiplier: 'more' }],
    ['max_delay', { maxDelay: 'late' }],
  ])('%s has to be a number', (name, knobs) => {
    const { error } = run(
      { tasks: [{ name: 'call', retry: [{ attempts: 2, ...knobs }] }] },
      { call: httpError(503) },
    );
    expect(error!.message).toMatch(new RegExp(`\\b${name}\\b`));
  });
});

it('a message that cannot be evaluated is a failure, whether or not anybody wants events', () => {
  const rule = { when: CALL, actions: [{ do: 'log', message: '{{ 1 / 0 }}' }] } as const;
  const plan = handPlan([{ name: 'start', tasks: one, case: [rule] }]);
  const answer = (): Outcome => ok(1);
  expect([drive(plan, { answer }).end, drive(plan, { answer, blind: true }).end]).toEqual(['fail', 'fail']);
});

it('result.data and result.result are the payload itself, unless it has keys of that name', () => {
  const set = { 'ctx.both': '{{ [result.data, result.result, result.rows] }}' };
  const rule = { when: CALL, actions: [{ do: 'set', set }] } as const;
  const read = (payload: Parameters<typeof ok>[0]) =>
    run({ tasks: one, case: [rule] }, { call: ok(payload) }).state.ctx['both'];
  expect(read({ rows: 1 })).toEqual([{ rows: 1 }, { rows: 1 }, 1]);
  expect(read({ data: 1, result: 2, rows: 3 })).toEqual([1, 2, 3]);
});
