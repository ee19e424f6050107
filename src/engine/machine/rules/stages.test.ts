/** Stages of a step that fail, or that a time limit interrupts: what is asked after it, and what is closed. */
import { handPlan, type StepSketch, type TaskSketch } from '../../../../test/support/plans';
import { httpError, type Mocks, simulate, type Simulation } from '../../../../test/support/simulator';

const CALL = "event.name == 'call.done'";
const EXIT = "event.name == 'step.exit'";
const FAILED = "event.name == 'step.failed'";
const sink: TaskSketch = { name: 'store', kind: 'postgres', input: { got: '{{ result }}' } };
const one: readonly TaskSketch[] = [{ name: 'call' }];
const run = (step: Omit<StepSketch, 'name'>, mocks: Mocks = {}): Simulation =>
  simulate(handPlan([{ name: 'start', ...step }]), { mocks, persist: true });

describe('a stage that fails', () => {
  const seen = {
    when: FAILED,
    readsFailure: true,
    actions: [{ do: 'set', set: { 'ctx.seen': true } }],
  } as const;
  const stores = (when: string) => ({ when, actions: [{ do: 'sink', task: 'store' }] }) as const;

  it.each<[string, boolean, Omit<StepSketch, 'name'>]>([
    ['ENTER', true, { tasks: one, case: [stores("event.name == 'step.enter'"), seen] }],
    ['the call', true, { tasks: one, case: [stores(CALL), seen] }],
    ['the end', false, { tasks: one, case: [stores(EXIT), seen] }],
    ['what is stored after it', false, { tasks: one, sinks: ['store'], case: [seen] }],
  ])('%s: whether the rules on the failure are asked: %s', (_, asked, step) => {
    const simulated = run({ asides: [sink], ...step }, { store: httpError(500) });
    expect([simulated.end, simulated.error!.code]).toEqual(['fail', 'HTTP_500']);
    expect(simulated.state.ctx).toEqual(asked ? { seen: true } : {});
  });

  it('deep in the sink of a sink it is the stage of the outer one that fails', () => {
    const outer: TaskSketch = { name: 'outer', kind: 'postgres', sinks: ['store'] };
    const rule = { when: EXIT, actions: [{ do: 'sink', task: 'outer' }] } as const;
    const simulated = run(
      { tasks: one, asides: [sink, outer], case: [rule, seen] },
      { store: httpError(500) },
    );
    expect([simulated.end, simulated.state.ctx]).toEqual(['fail', {}]);
  });

  it('writes of the step that cannot be evaluated are a failure to its rules', () => {
    const simulated = run({ tasks: one, case: [seen], set: { 'ctx.x': '{{ 1 / 0 }}' } });
    expect([simulated.error!.kind, simulated.state.ctx]).toEqual(['expression', { seen: true }]);
    expect(simulated.error!.message).toMatch(/set of step start/);
  });

  it('a `when` of a sink that cannot be evaluated closes the sink as failed', () => {
    const simulated = run({ tasks: one, asides: [{ ...sink, when: '1 / 0' }], case: [stores(CALL)] });
    const closed = simulated.events.find(({ event_type }) => event_type === 'sink.processed');
    expect([simulated.end, closed!.status]).toEqual(['fail', 'error']);
  });
});

describe('a time limit while a rule stores', () => {
  const seen = {
    when: FAILED,
    readsFailure: true,
    actions: [{ do: 'set', set: { 'ctx.seen': true } }],
  } as const;
  const slow: TaskSketch = { name: 'slow', kind: 'wait', config: { for: 60 } };
  const stores = (when: string) => ({ when, actions: [{ do: 'sink', task: 'slow' }] }) as const;

  it.each<[string, Omit<StepSketch, 'name'>, boolean]>([
    ['of the call', { tasks: one, case: [stores(CALL), seen] }, true],
    ['of the end', { tasks: one, case: [stores(EXIT), seen] }, false],
    ['of the step itself', { tasks: one, case: [seen], sinks: ['slow'] }, false],
    ...[CALL, EXIT].map(
      (when) =>
        [
          `of an iteration, at ${when}`,
          { tasks: one, loop: { in: [1, 2], as: 'n' }, bestEffort: true, case: [stores(when), seen] },
          true,
        ] as [string, Omit<StepSketch, 'name'>, boolean],
    ),
  ])('%s: the sink is closed, nothing else starts', (_, step, asked) => {
    const simulated = run({ ...step, asides: [slow], timeout: 10 });
    expect([simulated.end, simulated.error!.code]).toEqual(['fail', 'STEP_TIMEOUT']);
    const sinks = simulated.events.filter(({ entity_type }) => entity_type === 'sink');
    expect(sinks.map(({ event_type, status }) => [event_type, status])).toEqual([
      ['sink.started', 'in_progress'],
      ['sink.processed', 'error'],
    ]);
    expect(simulated.state.ctx).toEqual(asked ? { seen: true } : {});
    const { frames, runs, timers } = simulated.state;
    expect([frames, runs, timers]).toEqual([{}, {}, {}]);
  });
});

it.each<[string, Partial<TaskSketch>]>([
  ['the call', {}],
  ['a task', { sinks: ['slow'] }],
])('a sink of %s that a time limit closes may run again for the failure, under another id', (_, task) => {
  const slow: TaskSketch = { name: 'slow', kind: 'wait', config: { for: 8 } };
  const stores = (when: string) => ({ when, actions: [{ do: 'sink', task: 'slow' }] }) as const;
  const first: TaskSketch = { name: 'call', kind: 'wait', config: { for: 5 }, ...task };
  const failed = { ...stores(FAILED), readsFailure: true } as const;
  const simulated = run({ tasks: [first], asides: [slow], timeout: 10, case: [stores(CALL), failed] });
  expect([simulated.end, simulated.error!.code]).toEqual(['fail', 'STEP_TIMEOUT']);
  const started = simulated.events.filter(({ event_type }) => event_type === 'sink.started');
  expect(started.map(({ payload }) => payload['sink'])).toEqual(['start#1.slow~1', 'start#1.slow~2']);
});

it('no rule of the end repeats a task that a time limit stopped, though its sink had been called', () => {
  const slow: TaskSketch = { name: 'slow', kind: 'wait', config: { for: 8 } };
  const first: TaskSketch = { name: 'call', kind: 'wait', config: { for: 5 }, sinks: ['slow'] };
  const again = { when: FAILED, readsFailure: true, actions: [{ do: 'retry', attempts: 3 }] } as const;
  const simulated = run({ tasks: [first], asides: [slow], timeout: 10, case: [again] });
  expect([simulated.end, simulated.error!.code]).toEqual(['fail', 'STEP_TIMEOUT']);
  const begun = simulated.events.filter(({ event_type }) => event_type === 'task.started');
  expect(begun.map(({ task_run_id }) => task_run_id)).toEqual(['start#1.call~1@1', 'start#1.slow~1@1']);
});
