/** How runs of steps end: once, whatever ended them; and how executions do. */
import { handPlan, type StepSketch } from '../../../../test/support/plans';
import {
  httpError,
  ok,
  playbookOf,
  simulate,
  type SimulationOptions,
  START,
} from '../../../../test/support/simulator';
import { type Outcome, type Plan } from '../../../language/plan';
import { Context } from '../batch/context';
import { type EngineEvent } from '../batch/events';
import { type Input } from '../batch/inputs';
import { Machine } from '../machine';

/** How often the end of the run `start#1` was queued while the plan ran. */
function endsQueued(plan: Plan | string, options: SimulationOptions = {}): number {
  const enqueue = jest.spyOn(Context.prototype, 'enqueue');
  try {
    simulate(plan, options);
    return enqueue.mock.calls.filter(([work]) => work.op === 'endRun' && work.run === 'start#1').length;
  } finally {
    enqueue.mockRestore();
  }
}

const loop = (more: Partial<StepSketch>, mode: { parallel?: number } = {}): Plan =>
  handPlan([{ name: 'start', tasks: [{ name: 'a' }], loop: { in: [1, 2, 3], as: 'n', ...mode }, ...more }]);
const mocks = { a: httpError(500) };

describe('the end of a step is queued once', () => {
  it.each([
    ['a step', handPlan([{ name: 'start', tasks: [{ name: 'a' }] }])],
    ['a loop that its first failure ends', loop({})],
    ['a parallel loop that its first failure ends', loop({}, { parallel: 2 })],
    ['a parallel loop whose last failure ends it', loop({ bestEffort: true }, { parallel: 3 })],
  ])('%s', (_, plan) => {
    expect(endsQueued(plan, { mocks })).toBe(1);
    expect(endsQueued(plan)).toBe(1);
  });

  it.each([1, 2])('a loop that its time limit ends, %i in flight', (parallel) => {
    // The first iterations wait a minute for another attempt: the limit comes before it.
    const rules = [{ when: "output.status == 'error'", do: 'retry', delay: 60 }] as const;
    const plan = loop({ timeout: 10, tasks: [{ name: 'a', rules }] }, { parallel });
    expect(simulate(plan, { mocks }).error!.code).toBe('STEP_TIMEOUT');
    expect(endsQueued(plan, { mocks })).toBe(1);
  });

  it('and once more behind the rules on its end', () => {
    const plan = playbookOf(`
- step: start
  tool: {kind: python, code: "result = 1"}
  loop: {in: [1, 2], iterator: n}
  case:
    - when: "{{ event.name in ['loop.done', 'step.failed'] }}"
      then: {log: over}`);
    expect(endsQueued(plan, { mocks: { start_task: httpError(500) } })).toBe(2);
    expect(endsQueued(plan)).toBe(2);
  });
});

describe('the result of an execution', () => {
  const leaf = (name: string): StepSketch => ({
    name,
    tasks: [{ name: `of_${name}`, kind: 'noop', input: { by: name } }],
  });
  const forkTo = (...steps: StepSketch[]): Plan =>
    handPlan([
      { name: 'start', tasks: [], inclusive: true, next: steps.map(({ name }) => ({ step: name })) },
      ...steps,
    ]);
  const ended = (plan: Plan) => {
    const { events, result } = simulate(plan);
    return { result, told: events.find(({ event_type }) => event_type === 'workflow.finished')!.payload };
  };

  it.each<[string, Plan, string]>([
    ['of `end`, wherever it stands', forkTo(leaf('end'), leaf('last')), 'end'],
    ['of the leaf that stands last in the YAML', forkTo(leaf('a'), leaf('c'), leaf('b')), 'b'],
    [
      'of the last leaf that ran: a step that was skipped is none',
      forkTo(leaf('a'), { ...leaf('b'), admit: 'false' }),
      'a',
    ],
  ])('is that %s', (_, plan, step) => {
    expect(ended(plan)).toEqual({ result: { by: step }, told: { result: { by: step }, result_of: step } });
  });

  it('is null where no step ended well', () => {
    const plan = handPlan([{ ...leaf('start'), admit: 'false' }]);
    expect(ended(plan)).toEqual({ result: null, told: { result: null, result_of: null } });
  });
});

describe('an execution that is stopped', () => {
  /** A sub-playbook, an activity, and a wait with a clock beside a task that may fail. */
  const busy = handPlan([
    {
      name: 'start',
      tasks: [],
      inclusive: true,
      next: [{ step: 'child' }, { step: 'long' }, { step: 'slow' }, { step: 'bad' }],
    },
    { name: 'child', tasks: [{ name: 'c', kind: 'playbook', config: { path: 'lib/child' } }] },
    { name: 'long', tasks: [{ name: 'w', kind: 'wait', config: { for: 60 } }] },
    { name: 'slow', tasks: [{ name: 's' }] },
    { name: 'bad', tasks: [{ name: 'b' }] },
  ]);
  const begun = () => {
    const machine = Machine.create(busy, '123456789012345678', START);
    const { commands } = machine.apply({ at: START, inputs: [{ type: 'started', payload: {} }] });
    const { child } = commands.find((command) => command.type === 'runPlaybook')!;
    const tell = (...inputs: Input[]) => machine.apply({ at: START + 1000, inputs });
    const settled = (task: string, outcome: Outcome): Input => ({
      type: 'taskSettled',
      taskRunId: task,
      outcome,
    });
    return { machine, child, tell, settled };
  };
  const typesOf = ({ events }: { events: readonly EngineEvent[] }) =>
    events.map(({ event_type }) => event_type);

  it('by a failure: takes back clocks, says why to those under way, and tells that failure when they ended', () => {
    const { machine, child, tell, settled } = begun();
    const { commands } = tell(settled('bad#1.b~1@1', httpError(500)));
    expect(commands).toEqual([
      { type: 'cancelTimer', key: 'wait:long#1.w~1@1' },
      { type: 'cancelTask', taskRunId: 'slow#1.s~1@1' },
      { type: 'cancelPlaybook', child, reason: 'HTTP 500' },
    ]);
    expect(machine.state).toMatchObject({ status: 'failing', timers: {}, ready: [], work: [] });
    // What fails on the way down is not why, and nobody is asked to stop twice.
    expect(tell(settled('slow#1.s~1@1', httpError(503))).commands).toEqual([]);
    const last = tell({ type: 'childSettled', child, outcome: httpError(404) });
    const error = { code: 'HTTP_500', step: 'bad', task: 'b' };
    expect(last.commands).toMatchObject([{ type: 'fail', error }]);
    expect(last.events.slice(-2)).toMatchObject([
      { event_type: 'workflow.finished', entity_id: 'test', status: 'error', payload: { error } },
      {
        event_type: 'playbook.processed',
        entity_id: 'test/test',
        status: 'error',
        payload: { duration_ms: 1000 },
      },
    ]);
  });

  it('by a cancel, with its reason, once; also when it is failing already', () => {
    const { machine, child, tell, settled } = begun();
    const cancel: Input = { type: 'cancelRequested', reason: 'enough' };
    tell(settled('bad#1.b~1@1', httpError(500)));
    const first = tell(cancel);
    expect(typesOf(first)).toEqual(['playbook.cancel.requested']);
    expect(first.events[0]).toMatchObject({ entity_id: 'test/test', payload: { reason: 'enough' } });
    expect(typesOf(tell({ ...cancel, reason: 'again' }))).toEqual([]);
    expect(machine.state).toMatchObject({ status: 'cancelling', cancelReason: 'enough' });
    tell(settled('slow#1.s~1@1', ok(1)));
    const last = tell({ type: 'childSettled', child, outcome: ok(1) });
    expect(last.commands).toEqual([{ type: 'cancelled', reason: 'enough' }]);
    expect(last.events.slice(-3)).toMatchObject([
      { event_type: 'playbook.cancelled', status: 'cancelled', payload: { reason: 'enough' } },
      { event_type: 'workflow.finished', status: 'cancelled', payload: { reason: 'enough' } },
      { event_type: 'playbook.processed', status: 'cancelled' },
    ]);
    expect(machine.state.status).toBe('cancelled');
  });
});
