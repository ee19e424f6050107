/** The state that a rerun begins with, and what it says first. Whole reruns: src/history/rerun. */
import { looped } from '../../../../test/support/loops';
import { handPlan, type StepSketch } from '../../../../test/support/plans';
import { ok, START } from '../../../../test/support/simulator';
import { type Plan } from '../../../language/plan';
import { type Input, type RerunOrigin } from '../batch/inputs';
import { Machine } from '../machine';
import { type Observer } from '../batch/observer';
import { atRest } from '../state/live-state';
import { reusedOf } from '../tokens/reuse';
import { rerunState } from './rerun';
import { type Caller, type Reused, type State } from '../state';

const steps: readonly StepSketch[] = [
  {
    name: 'start',
    tasks: [],
    inclusive: true,
    next: [{ step: 'slow' }, { step: 'quick' }, { step: 'leaf' }],
  },
  { name: 'slow', tasks: [{ name: 's' }] },
  { name: 'quick', tasks: [{ name: 'q' }], next: [{ step: 'last', args: { by: 'quick' } }] },
  { name: 'leaf', tasks: [] },
  { name: 'last', tasks: [{ name: 'l' }] },
];
const plan = handPlan(steps);
const caller: Caller = { executionId: '7', taskRunId: 'p#1.p~1@1', depth: 3, iter: { n: 5 } };

interface Moment {
  readonly recorded: State;
  readonly token: string;
}

/** The state of an execution as each step is about to be admitted. At `last`, `slow` is under way and `leaf` is over. */
function recordedAt(step: string): Moment {
  const moments = new Map<string, Moment>();
  const observer: Observer = {
    admitting: (token, state) =>
      void moments.set(state.tokens.get(token)!.step, { recorded: structuredClone(atRest(state)), token }),
  };
  const machine = Machine.create(plan, '123456789012345678', START);
  const payload = { a: 1, deep: { x: 1 } };
  machine.apply({ at: START, inputs: [{ type: 'started', payload, caller }] }, observer);
  machine.apply({
    at: START + 1,
    inputs: [
      { type: 'externalEvent', name: 'news', payload: 1, id: 'e1' },
      { type: 'variablesSet', variables: { v: { w: 1 } } },
    ],
  });
  const done: Input = { type: 'taskSettled', taskRunId: 'quick#1.q~1@1', outcome: ok(2) };
  machine.apply({ at: START + 2, inputs: [done] }, observer);
  return moments.get(step)!;
}

const begin = (revision: Plan = plan, reuse: Readonly<Record<string, Reused>> = {}, at = 'last') => {
  const { recorded, token } = recordedAt(at);
  recorded.lastChild = '88';
  const executionId = '223456789012345678';
  return { recorded, token, state: rerunState({ recorded, token, executionId, plan: revision, reuse }) };
};
const origin: RerunOrigin = {
  execution_id: '123456789012345678',
  step: 'last',
  step_run_id: 'last#1',
  event_id: 'e',
  digest: 'd',
};

describe('limits', () => {
  const limit = { limit: { const: 1 }, onConflict: 'queue', at: [4, 1] } as const;
  const limited: Plan = { ...plan, concurrency: limit, debounce: { period: { const: 5 }, at: [5, 1] } };

  test('a rerun takes its place like any other execution, but is not debounced, and no caller waits for it', () => {
    const { state } = begin(limited);
    const machine = Machine.from(limited, state);
    const rerun: Input = { type: 'rerun', origin, payload: {}, variables: {} };
    const { commands, events } = machine.apply({ at: START + 9, inputs: [rerun] });
    expect(events.map(({ event_type }) => event_type)).toEqual(['playbook.execution.requested']);
    const [asked, ...more] = commands;
    expect(more).toEqual([]);
    expect(asked).toMatchObject({
      call: { kind: 'limit', config: { request: { concurrency: { limit: 1 } } } },
    });
    const { keeper } = machine.state.gate!.limit!;
    const answer = { keeper, execution: '223456789012345678', type: 'granted' } as const;
    const granted = machine.apply({ at: START + 10, inputs: [{ type: 'limitAnswered', answer }] });
    expect(granted.events.map(({ event_type }) => event_type).slice(0, 2)).toEqual([
      'limit.acquired',
      'playbook.request.evaluated',
    ]);
    expect(machine.state.runs).toHaveProperty(['last#1']);
  });

  test('a rerun of a sub-playbook does not wait inside of its former caller', () => {
    const { recorded, token } = recordedAt('last');
    const holds = [`noetl-limit:concurrency:${plan.metadata.path}:`];
    const held: State = { ...recorded, caller: { ...caller, holds } };
    const state = rerunState({ recorded: held, token, executionId: '9', plan: limited, reuse: {} });
    const rerun: Input = { type: 'rerun', origin, payload: {}, variables: {} };
    const { commands } = Machine.from(limited, state).apply({ at: START + 9, inputs: [rerun] });
    expect(commands[0]).not.toHaveProperty('call.config.request.concurrency.inside');
  });
});

describe('the state that a rerun begins with', () => {
  it('has what was over by then, and none of what was under way', () => {
    const { recorded, token, state } = begin();
    expect(recorded.runs).toHaveProperty('slow#1');
    expect(state).toMatchObject({
      executionId: '223456789012345678',
      now: START + 2,
      workload: { a: 1, deep: { x: 1 } },
      ctx: { v: { w: 1 } },
      executed: ['start', 'quick', 'leaf'],
      runCounts: { start: 1, quick: 1, slow: 0, leaf: 1 },
      leaves: { leaf: true },
      counters: { token: recorded.counters.token, fork: recorded.counters.fork, tasks: 0, retries: 0 },
      joinsDirty: true,
    });
    expect([state.runs, state.frames, state.pending, state.timers]).toEqual([{}, {}, {}, {}]);
    expect(Object.keys(state.results).sort()).toEqual(['leaf', 'quick', 'start']);
    expect(state.seed).not.toEqual(recorded.seed);
    const other = recorded.runs['slow#1']!.token;
    expect(state.work).toEqual([
      { op: 'admit', token },
      { op: 'admit', token: other },
    ]);
    expect(state.tokens).toMatchObject({
      [token]: { state: 'queued', anew: true },
      [other]: { state: 'queued' },
    });
    expect(state.tokens[other]).not.toHaveProperty('anew');
  });

  it('has only its own token if the step runs alone', () => {
    const { recorded, token } = recordedAt('last');
    const executionId = '223456789012345678';
    const state = rerunState({ recorded, token, executionId, plan, reuse: {}, alone: true });
    expect(state).toMatchObject({ alone: true, runs: {}, work: [{ op: 'admit', token }] });
    expect(Object.keys(state.tokens)).toEqual([token]);
    expect(Object.keys(state.results).sort()).toEqual(['leaf', 'quick', 'start']);
  });

  it('has the place it was called from, the ids it gave, and the events nobody took', () => {
    const { state } = begin();
    expect(state).toMatchObject({ caller, lastChild: '88', seenEvents: ['e1'] });
    expect(state.inbox).toMatchObject([{ name: 'news', payload: 1 }]);
  });

  it('has the tokens that stood in the queue, and nothing else of it', () => {
    const { recorded, token, state } = begin(plan, {}, 'slow');
    recorded.work.push({ op: 'task', frame: 'slow#1' });
    const executionId = '223456789012345678';
    const { work } = rerunState({ recorded, token, executionId, plan, reuse: {} });
    expect(work).toEqual(state.work);
    expect(work).toEqual([
      { op: 'admit', token: 't2' },
      { op: 'admit', token: 't3' },
      { op: 'admit', token: 't4' },
    ]);
    expect(state).toMatchObject({ executed: ['start'], runCounts: { start: 1 } });
  });

  it('knows what handles of secrets stand for, of which it has a copy', () => {
    const { recorded, token } = recordedAt('last');
    recorded.secrets = { s1: { ref: { provider: 'env', secret: 'KEY' } } };
    const { secrets } = rerunState({ recorded, token, executionId: '2', plan, reuse: {} });
    expect(secrets).toEqual(recorded.secrets);
    expect(secrets!['s1']).not.toBe(recorded.secrets['s1']);
    expect(begin().state).not.toHaveProperty('secrets');
  });

  it('shares nothing with the recorded one', () => {
    const { recorded, token, state } = begin();
    const before = JSON.stringify(recorded);
    state.workload['a'] = 2;
    (state.ctx['v'] as { w: number }).w = 2;
    state.tokens[token]!.args['by'] = 'nobody';
    state.forks['f1']!.live = 9;
    state.executed.push('x');
    state.seenEvents.push('e2');
    state.inbox.pop();
    state.runCounts['start'] = 9;
    expect(JSON.stringify(recorded)).toBe(before);
  });

  it('forgets leaves that the new revision does not have: none of them gives the result', () => {
    const without = steps.filter(({ name }) => name !== 'leaf');
    expect(begin(handPlan(without)).state.leaves).toEqual({});
  });
});

describe('the first input of a rerun', () => {
  const again = (variables = {}, reuse: Readonly<Record<string, Reused>> = {}) => {
    const { recorded, state } = begin(plan, reuse);
    const machine = Machine.from(plan, state);
    const input: Input = { type: 'rerun', origin, payload: { deep: { y: 2 } }, variables };
    return { machine, recorded, ...machine.apply({ at: START + 60_000, inputs: [input] }) };
  };

  it('says where it comes from and which tokens there are, and starts an execution of its own', () => {
    const { machine, recorded, events, commands } = again();
    expect(events.slice(0, 8).map(({ event_type, entity_id }) => [event_type, entity_id])).toEqual([
      ['playbook.execution.requested', 'test/test'],
      ['playbook.request.evaluated', 'test/test'],
      ['playbook.started', 'test/test'],
      ['workflow.started', 'test'],
      ['token.created', 't2'],
      ['token.enqueued', 't2'],
      ['token.created', 't5'],
      ['token.enqueued', 't5'],
    ]);
    expect(events[0]).toMatchObject({
      entity_type: 'playbook',
      status: 'in_progress',
      payload: { payload: { deep: { y: 2 } }, rerun: origin },
    });
    expect(events[3]!.payload).toMatchObject({ start: 'last' });
    expect(events[6]).toEqual({
      event_type: 'token.created',
      entity_type: 'token',
      entity_id: 't5',
      status: 'in_progress',
      parent_id: 'quick#1',
      payload: { step: 'last', args: { by: 'quick' } },
    });
    expect(events[7]!.payload).toEqual({ step: 'last' });
    expect(commands).toMatchObject([{ call: { task: 'l' } }, { call: { task_run_id: 'slow#1.s~1@1' } }]);
    const { startedAt, uuid, workload } = machine.state;
    expect([startedAt, workload]).toEqual([START + 60_000, { a: 1, deep: { x: 1, y: 2 } }]);
    expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(uuid).not.toBe(recorded.uuid);
  });

  it('comes to the same where nobody wants events', () => {
    const quiet = Machine.from(plan, begin().state);
    const input: Input = { type: 'rerun', origin, payload: { deep: { y: 2 } }, variables: {} };
    const commands = quiet.advance({ at: START + 60_000, inputs: [input] });
    const { machine, commands: told } = again();
    expect([commands, quiet.state]).toEqual([told, machine.state]);
  });

  it('sets variables, where there are some, as if from outside', () => {
    const told = (variables: object) =>
      again(variables).events.filter(({ event_type }) => event_type === 'variables.set').length;
    expect([told({}), told({ v: 2 })]).toEqual([0, 1]);
    expect(again({ v: 2 }).machine.state.ctx).toEqual({ v: 2 });
  });

  it('takes over what the recorded execution finished later: its result, its writes, the count of its loop', () => {
    const { recorded } = recordedAt('last');
    const run = recorded.runs['slow#1']!;
    const loop = {
      items: ['p', 'q'],
      first: 0,
      total: 2,
      next: 2,
      notStarted: 0,
      inFlight: 0,
      maxInFlight: 1,
      done: 2,
      failed: 0,
    };
    const whole = {
      ...run,
      vars: { n: 1 },
      loop: { ...loop, results: [1, 2], failFast: true, stopping: null, writes: { k: {} }, chunks: null },
    };
    const result = {
      type: 'loop',
      status: 'ok',
      results: [1, 2],
      success: 2,
      failed: 0,
      notStarted: 0,
      error: null,
    } as const;
    const reused: Reused = {
      ...reusedOf(recorded, whole, { ...result, results: [1, 2] }),
      patches: [{ 'v.w': 3, top: 1 }],
    };
    expect(reused).toMatchObject({
      from: { execution_id: '123456789012345678', step_run_id: 'slow#1' },
      run: {
        vars: { n: 1 },
        rules: { exited: true, written: true },
        loop: { items: [null, null], results: [], writes: {}, done: 2, total: 2 },
      },
    });
    const { machine, commands, events } = again({}, { slow: reused });
    expect(commands).toMatchObject([{ type: 'runTask', call: { task: 'l' } }]);
    expect(machine.state.ctx).toEqual({ v: { w: 3 }, top: 1 });
    expect(machine.resultOf('slow')).toEqual(looped([1, 2]));
    expect(machine.state.reuse).toEqual({});
    const ofSlow = events.filter(({ step_run_id, parent_id }) => (step_run_id ?? parent_id) === 'slow#1');
    expect(ofSlow.map(({ event_type, payload }) => [event_type, payload])).toEqual([
      ['token.claimed', { step: 'slow' }],
      ['step.scheduled', { args: {} }],
      ['step.started', expect.objectContaining({ reused: reused.from })],
      ['loop.started', { total: 2 }],
      ['ctx.patched', { patch: { 'v.w': 3, top: 1 } }],
      ['loop.done', { stats: { total: 2, success: 2, failed: 0, not_started: 0 } }],
      ['step.done', { duration_ms: 0 }],
    ]);
  });
});
