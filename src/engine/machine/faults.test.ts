/** An expression that fails, wherever it stands, is reported with the place it stands in; nothing is lost. */
import { checkEvents } from '../../../test/support/event-checks';
import { type ActionSketch, handPlan, type StepSketch, type TaskSketch } from '../../../test/support/plans';
import {
  httpError,
  simulate,
  type Simulation,
  type SimulationOptions,
} from '../../../test/support/simulator';
import { type Json, type Plan, type Retry } from '../../language/plan';
import { causeOf, EngineError } from './batch/failure';
import { Machine } from './machine';

const BROKEN = '{{ 1 / 0 }}';

const ENTER = { when: "event.name == 'step.enter'", onEnter: true } as const;

function withCase(action: ActionSketch): StepSketch {
  const rule = { when: "event.name == 'call.done'", actions: [action] };
  return { name: 'start', tasks: [{ name: 'a' }], case: [rule] };
}

function run(
  steps: readonly StepSketch[],
  options: SimulationOptions = {},
  more: Partial<Plan> = {},
): Simulation {
  return simulate(handPlan(steps, more), options);
}

describe('an expression that fails', () => {
  const task = { name: 'a' };
  it.each<[string, StepSketch]>([
    ['admission of step start', { name: 'start', tasks: [task], admit: '1 / 0' }],
    ['input of step start', { name: 'start', tasks: [task], input: { x: BROKEN } }],
    ['set of step start', { name: 'start', tasks: [task], set: { 'ctx.x': BROKEN } }],
    ['router of step start', { name: 'start', tasks: [task], next: [{ step: null, when: '1 / 0' }] }],
    [
      'policy of task a',
      { name: 'start', tasks: [{ name: 'a', rules: [{ when: '1 / 0', do: 'continue' }] }] },
    ],
    ['loop of task a', { name: 'start', tasks: [{ name: 'a', loop: { in: BROKEN, as: 'x' }, body: [] }] }],
    ['step start', { name: 'start', tasks: [task], loop: { in: BROKEN, as: 'x' } }],
    [
      'step start',
      { name: 'start', tasks: [task], loop: { in: BROKEN, as: 'x' }, case: [{ ...ENTER, actions: [] }] },
    ],
    ['set of step start', { name: 'start', tasks: [task], set: { 'ctx.x': BROKEN }, case: [] }],
    ['case of step start', { name: 'start', tasks: [task], case: [{ when: '1 / 0', actions: [] }] }],
    ['actions of step start', withCase({ do: 'set', set: { 'ctx.x': BROKEN } })],
    ['fail of step start', withCase({ do: 'fail', message: BROKEN })],
    ['skip of step start', withCase({ do: 'skip', reason: BROKEN })],
    ['retry of step start', withCase({ do: 'retry', delay: BROKEN })],
    ['call of step start', withCase({ do: 'call', overrides: { input: { x: BROKEN } } })],
    ['case of step start', withCase({ do: 'retry', attempts: BROKEN })],
    ['retry of task a', { name: 'start', tasks: [{ name: 'a', retry: [{ when: '1 / 0' }] }] }],
    ['retry of task a', { name: 'start', tasks: [{ name: 'a', retry: [{ when: 'true', delay: BROKEN }] }] }],
    [
      'actions of step start',
      { name: 'start', tasks: [task], asides: [{ name: 'k', when: '1 / 0' }], sinks: ['k'] },
    ],
    [
      'actions of step start',
      { name: 'start', tasks: [{ name: 'a', sinks: ['k'] }], asides: [{ name: 'k', when: '1 / 0' }] },
    ],
  ])('in %s is said to be there', (place, step) => {
    const failed = run([step]);
    expect([failed.end, failed.error!.step, checkEvents(failed.events)]).toEqual(['fail', 'start', []]);
    expect(failed.error!.message).toMatch(new RegExp(`^(task a: )?${place}: .*zero`));
  });

  it.each<[string, TaskSketch[], Json[]]>([
    ['an expression', [{ name: 'b', input: { x: 1 }, rules: [{ when: '1 / 0', do: 'continue' }] }], [1]],
    ['the engine', [{ name: 'b', set: { 'ctx.shared': '{{ n }}' } }], [1, 2]],
  ])('in %s of a loop in a pipeline is an outcome of kind validation', (_, body, items) => {
    const loop = { in: items, as: 'n', parallel: 2 };
    const failed = run([{ name: 'start', tasks: [{ name: 'a', loop, body }] }]);
    expect(failed.error).toMatchObject({ kind: 'validation', step: 'start', task: 'a' });
    expect(failed.state.results['start']).toMatchObject({
      last: { outcome: { error: { kind: 'validation', retryable: false } } },
    });
  });

  it('names the iteration it is in, in the failure of the step too', () => {
    const step = { name: 'start', loop: { in: [1, 0], as: 'n' }, tasks: [task] };
    const failed = run([{ ...step, input: { x: '{{ 1 / n }}' } }]);
    expect(failed.error).toMatchObject({ iteration: 1, kind: 'expression' });
  });

  it('in EXIT takes back the route that an earlier rule chose', () => {
    const exit = (value: Json): Simulation =>
      run([
        {
          name: 'start',
          tasks: [task],
          next: [{ step: 'b' }],
          case: [
            { when: "event.name == 'call.done'", actions: [{ do: 'next', arcs: [0] }] },
            { when: "event.name == 'step.exit'", actions: [{ do: 'set', set: { 'ctx.x': value } }] },
          ],
        },
        { name: 'b', tasks: [task] },
      ]);
    expect(exit(1)).toMatchObject({ end: 'complete', state: { executed: ['start', 'b'] } });
    expect(exit(BROKEN)).toMatchObject({
      end: 'fail',
      state: { executed: ['start'] },
      error: { step: 'start' },
    });
  });

  it('that is a mistake of ours is not taken for one of the playbook', () => {
    const fault = new TypeError('x is not a function');
    expect(() => causeOf(fault, 'here', [1, 1])).toThrow(fault);
  });

  it('in the input of a task that is a loop fails the iteration, naming the task', () => {
    const failed = run([
      {
        name: 'start',
        tasks: [{ name: 'a', input: { x: '{{ 1 / (n - 1) }}' }, loop: { in: [1], as: 'n' }, body: [task] }],
      },
    ]);
    expect(failed.error!.message).toMatch(/^task a, item 1 \(index 0\).*input of task a: .*zero/);
  });

  it('in a delay that is no number is RETRY_NUMBER', () => {
    const plan = handPlan([{ name: 'start', tasks: [{ name: 'a', rules: [{ do: 'retry', attempts: 2 }] }] }]);
    const [start] = plan.steps as [Plan['steps'][0]];
    const a = start.tasks[0]!;
    const [rule] = a.rules!.rules;
    const move = { ...(rule!.move as Retry), do: 'retry' as const, delay: { const: 'soon' } };
    const rules = { ...a.rules!, rules: [{ ...rule!, move }] };
    const failed = simulate({ ...plan, steps: [{ ...start, tasks: [{ ...a, rules }] }] });
    expect(failed.error).toMatchObject({ code: 'RETRY_NUMBER', task: 'a' });
  });
});

describe('an arc behind a failure', () => {
  const caught = (step: Omit<StepSketch, 'name'>, mocks = {}): Simulation =>
    run(
      [
        {
          name: 'start',
          ...step,
          next: [
            {
              step: 'after',
              handlesFailure: true,
              when: 'error is defined',
              args: { code: '{{ error.code }}' },
            },
          ],
        },
        { name: 'after', tasks: [{ name: 'b', kind: 'noop', input: { code: '{{ code }}' } }] },
      ],
      { mocks },
    );

  it.each<[string, Omit<StepSketch, 'name'>]>([
    ['HTTP_503', { tasks: [{ name: 'a' }] }],
    ['HTTP_503', { tasks: [{ name: 'a' }], loop: { in: [1], as: 'n' } }],
    ['STEP_TIMEOUT', { tasks: [{ name: 'w', kind: 'wait', config: { for: 60 } }], timeout: 5 }],
    ['LOOP_IN', { tasks: [{ name: 'a' }], loop: { in: 7, as: 'n' } }],
    ['RULE_FAIL', { tasks: [{ name: 'c', rules: [{ do: 'fail' }] }] }],
    ['RETRY_EXHAUSTED', { tasks: [{ name: 'c', retry: [{ retryWhen: 'true', attempts: 1 }] }] }],
  ])('sees %s as error, whoever says it', (code, step) => {
    const handled = caught(step, { a: httpError(503) });
    expect([handled.end, handled.result]).toEqual(['complete', { code }]);
  });

  it('sees no error after a success', () => {
    const done = caught({ tasks: [{ name: 'c' }] });
    expect([done.end, done.state.executed]).toEqual(['complete', ['start']]);
  });
});

describe('failures that nobody handles', () => {
  const fork: StepSketch[] = [
    { name: 'start', tasks: [], inclusive: true, next: [{ step: 'x' }, { step: 'y' }, { step: 'z' }] },
    { name: 'x', tasks: [{ name: 'fx' }] },
    { name: 'y', tasks: [{ name: 'fy' }] },
    { name: 'z', tasks: [{ name: 'fz' }, { name: 'fz2' }] },
  ];
  const mocks = { fx: httpError(500), fy: httpError(404) };

  it('end the execution at once and cancel the others with fail_fast', () => {
    const failed = run(fork, { mocks });
    expect(failed.error).toMatchObject({ step: 'x', code: 'HTTP_500' });
    expect(failed.calls.map(({ task }) => task)).toEqual(['fx', 'fy', 'fz']);
    expect(failed.state.pending).toEqual({});
  });

  it('let the others finish with best_effort, and tell the first and how many more', () => {
    const failed = run(fork, { mocks }, { failureMode: 'best_effort' });
    expect(failed.error).toMatchObject({ step: 'x', code: 'HTTP_500', others: 1 });
    expect(failed.calls.map(({ task }) => task)).toEqual(['fx', 'fy', 'fz', 'fz2']);
  });
});

describe('writes', () => {
  it('into a path make mappings on the way, keep what stands beside, and replace a scalar in the way', () => {
    const done = run([
      {
        name: 'start',
        tasks: [],
        set: { 'ctx.a.b': 1, 'ctx.a.c.d': 2, 'ctx.e': 'text', 'ctx.e.f': 3 },
      },
    ]);
    expect(done.state.ctx).toEqual({ a: { b: 1, c: { d: 2 } }, e: { f: 3 } });
  });
});

describe('a machine', () => {
  it('refuses a plan whose shape or engine version it does not know', () => {
    const plan = handPlan([{ name: 'start', tasks: [] }]);
    expect(() => Machine.create({ ...plan, planVersion: 99 }, '1')).toThrow(EngineError);
    expect(() => Machine.create({ ...plan, engineVersion: 99 }, '1')).toThrow(/engine version 99/);
  });

  it('takes no notice of a task or a timer it does not wait for', () => {
    const machine = Machine.create(handPlan([{ name: 'start', tasks: [{ name: 'a' }] }]), '1');
    machine.advance({ at: 0, inputs: [{ type: 'started', payload: {} }] });
    const before = structuredClone(machine.state);
    const outcome = httpError(500);
    machine.advance({
      at: 0,
      inputs: [
        { type: 'taskSettled', taskRunId: 'start#1.a~1@7', outcome },
        { type: 'timerFired', key: 'retry:never' },
        { type: 'resumed' },
      ],
    });
    expect(machine.state).toEqual(before);
    expect(machine.variables()).toEqual({});
  });
});
