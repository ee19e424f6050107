/** What a person watching a run is told. */
import { handPlan, type StepSketch } from '../../../../test/support/plans';
import { httpError, ok, planOf, playbookOf, START } from '../../../../test/support/simulator';
import { type JsonObject, type Plan } from '../../../language/plan';
import { Machine } from '../machine';
import { type Progress } from './progress';

const id = '123456789012345678';

/** The progress after these task runs settled, one batch each. */
function after(
  steps: readonly StepSketch[] | Plan,
  settled: Readonly<Record<string, ReturnType<typeof ok>>>,
  paused = false,
): Progress {
  const machine = Machine.create('steps' in steps ? steps : handPlan(steps), id, START);
  machine.apply({ at: START, inputs: [{ type: 'started', payload: {} }] });
  if (paused) machine.apply({ at: START, inputs: [{ type: 'paused' }] });
  for (const [taskRunId, outcome] of Object.entries(settled)) {
    machine.apply({ at: START, inputs: [{ type: 'taskSettled', taskRunId, outcome }] });
  }
  return machine.progress();
}

describe('progress', () => {
  it('names the task at work and what has been done', () => {
    const progress = after([{ name: 'start', tasks: [{ name: 'a' }, { name: 'b' }] }], {
      'start#1.a~1@1': ok(1),
    });
    expect(progress).toEqual({
      status: 'running',
      steps_executed: ['start'],
      live: [{ step: 'start', run: 1, task: 'b', state: 'running', attempt: 1 }],
      tasks_run: 2,
      retries: 0,
    });
  });

  it('says when a retry is due and which attempt it will be', () => {
    const retry = { when: "output.status == 'error'", do: 'retry' as const, attempts: 3, delay: 30 };
    const progress = after([{ name: 'start', tasks: [{ name: 'a', rules: [retry] }] }], {
      'start#1.a~1@1': httpError(503),
    });
    expect(progress.live).toEqual([
      { step: 'start', run: 1, task: 'a', state: 'retrying', attempt: 2, retry_at: START + 30_000 },
    ]);
    expect(progress.retries).toBe(1);
  });

  it('names the sink under way, behind the task whose call it stores', () => {
    const storing = planOf(
      playbookOf(`
- step: start
  tool: {kind: python, code: "result = 1"}
  sink:
    name: kept
    tool: {kind: postgres, auth: pg, table: t}
    args: {n: 1}
  case:
    - when: "{{ event.name == 'step.enter' }}"
      then: {sink: {name: opened, tool: {kind: python, code: "result = 0"}}}`),
    );
    const begun = ['start#1.opened~1@1', 'start#1~1@1'] as const;
    const live = (settled: number): Progress['live'][0] =>
      after(storing, Object.fromEntries(begun.slice(0, settled).map((id) => [id, ok(1)]))).live[0]!;
    const common = { step: 'start', run: 1, state: 'running', attempt: 1 };
    expect(live(0)).toEqual({ ...common, sink: 'opened' });
    expect(live(1)).toEqual({ ...common, task: 'start_task' });
    expect(live(2)).toEqual({ ...common, task: 'start_task', sink: 'kept' });
  });

  it('at the boundary of a loop names the sink alone', () => {
    const storing = planOf(
      playbookOf(`
- step: start
  loop: {in: [1], iterator: n}
  tool: {kind: python, code: "result = 1"}
  case:
    - when: "{{ event.name == 'loop.done' }}"
      then: {sink: {name: all, tool: {kind: python, code: "result = 0"}}}`),
    );
    const [line] = after(storing, { 'start#1[0]~1@1': ok(1) }).live;
    expect(line).toMatchObject({ sink: 'all', loop: { done: 1, total: 1 } });
    expect(line!.task).toBeUndefined();
  });

  it('counts the iterations of a loop, and tells which one is at work when they run in order', () => {
    const loop = { in: [1, 2, 3], as: 'n' };
    const [inOrder] = after([{ name: 'start', loop, tasks: [{ name: 'a' }] }], {
      'start#1[0].a~1@1': ok(1),
    }).live;
    expect(inOrder).toMatchObject({ iteration: 1, loop: { done: 1, failed: 0, total: 3, in_flight: 1 } });
    const [parallel] = after(
      [{ name: 'start', loop: { ...loop, parallel: 2 }, tasks: [{ name: 'a' }] }],
      {},
    ).live;
    expect(parallel).toMatchObject({ loop: { done: 0, total: 3, in_flight: 2 } });
    expect(parallel!.iteration).toBeUndefined();
  });

  it('shows the innermost task of a loop in a pipeline, and how far that loop is', () => {
    const inner = { name: 'inner', loop: { in: [1, 2], as: 'n' }, body: [{ name: 'deep' }] };
    const progress = after([{ name: 'start', tasks: [inner] }], { 'start#1.inner~1@1[0].deep~1@1': ok(1) });
    expect(progress.live).toEqual([
      {
        step: 'start',
        run: 1,
        task: 'deep',
        state: 'running',
        attempt: 1,
        loop: { done: 1, failed: 0, total: 2, in_flight: 1 },
      },
    ]);
  });

  it('says what a task waits for: a sub-playbook, an event, a moment', () => {
    const fork = [{ step: 'called' }, { step: 'asked' }, { step: 'asleep' }, { step: 'limited' }];
    const wait = (name: string, config: JsonObject): StepSketch => ({
      name,
      tasks: [{ name: 'w', kind: 'wait', config }],
    });
    const { live, tasks_run } = after(
      [
        { name: 'start', tasks: [], inclusive: true, next: fork },
        { name: 'called', tasks: [{ name: 'p', kind: 'playbook', config: { path: 'lib/x' } }] },
        wait('asked', { event: 'approval' }),
        wait('asleep', { for: 60 }),
        wait('limited', { event: 'approval', timeout: 5 }),
      ],
      {},
    );
    expect(tasks_run).toBe(1);
    expect(live.map(({ step, child, wait: awaited }) => [step, child ?? awaited])).toEqual([
      ['called', { execution_id: expect.stringMatching(/^\d+$/), path: 'lib/x' }],
      ['asked', { event: 'approval' }],
      ['asleep', { until: START + 60_000 }],
      ['limited', { event: 'approval', until: START + 5000 }],
    ]);
    const [busy] = after([{ name: 'start', tasks: [{ name: 'a' }] }], {}).live;
    expect([busy!.child, busy!.wait]).toEqual([undefined, undefined]);
  });

  it('shows tasks that wait for resume as queued, and tokens that wait for their siblings', () => {
    const progress = after(
      [
        {
          name: 'start',
          tasks: [{ name: 'a' }],
          inclusive: true,
          next: [{ step: 'left' }, { step: 'right' }],
        },
        { name: 'left', tasks: [{ name: 'l' }], next: [{ step: 'join' }] },
        { name: 'right', tasks: [{ name: 'r' }, { name: 'r2' }], next: [{ step: 'join' }] },
        { name: 'join', tasks: [] },
      ],
      { 'start#1.a~1@1': ok(1), 'left#1.l~1@1': ok(1) },
    );
    expect(progress.live.map(({ step, state }) => [step, state])).toEqual([
      ['right', 'running'],
      ['join', 'waiting'],
    ]);
    expect(progress.live[1]!.run).toBe(1);
    const paused = after(
      [{ name: 'start', tasks: [{ name: 'a' }, { name: 'b' }] }],
      { 'start#1.a~1@1': ok(1) },
      true,
    );
    expect([paused.status, paused.live[0]!.state]).toEqual(['paused', 'queued']);
  });
});

it('each of two tasks that wait for sub-playbooks names its own', () => {
  const calls = (path: string): StepSketch => ({
    name: path,
    tasks: [{ name: 'p', kind: 'playbook', config: { path } }],
  });
  const next = [{ step: 'one' }, { step: 'two' }];
  const { live } = after(
    [{ name: 'start', tasks: [], inclusive: true, next }, calls('one'), calls('two')],
    {},
  );
  expect(live.map(({ step, child }) => [step, child!.path])).toEqual([
    ['one', 'one'],
    ['two', 'two'],
  ]);
});
