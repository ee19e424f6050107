import { type Outcome, secretHandle, type Secrets, type TaskCall } from '../../../language/plan';
import { checkEvents } from '../../../../test/support/event-checks';
import { planOf, playbookOf, simulate, START } from '../../../../test/support/simulator';
import { Machine } from '../machine';
import { type Command, type RunPlaybook } from '../batch/commands';
import { type Caller, executionsAbove } from '../state';

const parent = (fields = ''): string =>
  playbookOf(`
- step: start
  tool: {kind: playbook, path: lib/child${fields && `, ${fields}`}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {got: "{{ start }}"}}`);

/** A machine after its first batch, with what it asked for. */
function begun(
  yaml: string,
  depth?: number,
): { machine: Machine; commands: readonly Command[]; asked: RunPlaybook } {
  const machine = Machine.create(planOf(yaml), '123456789012345678', START);
  const caller = depth === undefined ? undefined : { executionId: '1', taskRunId: 't', depth, iter: null };
  const { commands } = machine.apply({ at: START, inputs: [{ type: 'started', payload: {}, caller }] });
  return { machine, commands, asked: commands.find((one) => one.type === 'runPlaybook')! };
}

const broken: Outcome = {
  status: 'error',
  result: null,
  error: {
    kind: 'sql',
    code: 'SQLSTATE_42P01',
    message: 'playbook lib/child failed at load',
    retryable: false,
    step: 'load',
  },
  meta: {},
};

const fine: Outcome = { status: 'ok', result: 1, error: null, meta: {} };
const childEnds = ({ child }: RunPlaybook, outcome: Outcome = fine) =>
  ({ type: 'childSettled', child, outcome }) as const;

describe('a task of kind playbook', () => {
  it('asks for the child with inputs as payload, and has its result as its own', () => {
    const run = simulate(parent('version: "2", return_step: last, input: {n: 1}'), {
      mocks: { start: (call: TaskCall) => ({ ...call.input, version: call.config['version']! }) },
      persist: true,
    });
    expect(run.result).toEqual({ got: { n: 1, version: '2' } });
    expect(checkEvents(run.events, true)).toEqual([]);
    const [started] = run.events.filter(({ event_type }) => event_type === 'task.started');
    expect(started!.payload['child']).toEqual({
      execution_id: expect.stringMatching(/^[1-9]\d*$/),
      path: 'lib/child',
      version: '2',
    });
  });

  it('says which executions are above the child, so that a cancel of any of them is seen', () => {
    const line = (caller?: Caller): unknown => {
      const machine = Machine.create(planOf(parent()), '123456789012345678', START);
      const { commands } = machine.apply({ at: START, inputs: [{ type: 'started', payload: {}, caller }] });
      return executionsAbove(commands.find((one) => one.type === 'runPlaybook')!.caller);
    };
    const caller = { taskRunId: 't', depth: 1, iter: null };
    expect(line()).toEqual(['123456789012345678']);
    expect(line({ ...caller, executionId: '1' })).toEqual(['1', '123456789012345678']);
    expect(line({ ...caller, executionId: '2', above: ['1', '2'] })).toEqual([
      '1',
      '2',
      '123456789012345678',
    ]);
    // A rerun: nobody is above it.
    expect(line({ ...caller, executionId: '2', above: [] })).toEqual(['123456789012345678']);
  });

  it('draws the id of the child from time, execution and task run: replay draws the same, siblings never', () => {
    const yaml = playbookOf(
      `\n- step: start\n  loop: {in: "{{ range(500) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 500}}\n  tool: {kind: playbook, path: c}`,
    );
    const ids = (): string[] =>
      begun(yaml).commands.flatMap((one) => (one.type === 'runPlaybook' ? one.child : []));
    expect(ids()).toEqual(ids());
    expect(new Set(ids()).size).toBe(500);
  });

  it.each([
    [undefined, 40],
    [1, 16],
    [2, 4],
    [3, 2],
    [7, 2],
  ])('waits for others where its execution was called itself: depth %p, %p at once', (depth, most) => {
    const yaml = playbookOf(`
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: calls}, {step: other}]}
- step: calls
  loop: {in: "{{ range(40) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 40}}
  tool: {kind: playbook, path: c}
- step: other
  loop: {in: "{{ range(5) | list }}", iterator: n, spec: {mode: parallel}}
  tool: {kind: http, url: "http://localhost/{{ n }}"}`);
    const { machine, commands } = begun(yaml, depth);
    const callsIn = (some: readonly Command[]): RunPlaybook[] =>
      some.filter((one): one is RunPlaybook => one.type === 'runPlaybook');
    const open = callsIn(commands);
    expect(open).toHaveLength(most);
    expect(commands.filter(({ type }) => type === 'runTask')).toHaveLength(5);
    let [count, at] = [open.length, START];
    while (open.length > 0) {
      const ended = open.shift()!;
      const started = callsIn(machine.apply({ at: ++at, inputs: [childEnds(ended)] }).commands);
      count += started.length;
      open.push(...started);
      expect(open.length).toBeLessThanOrEqual(most);
    }
    expect(count).toBe(40);
  });

  it('the calls that all children together may have in progress are shared by how many there are', () => {
    const yaml = playbookOf(
      `\n- step: start\n  loop: {in: "{{ range(400) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 400}}\n  tool: {kind: playbook, path: c}`,
    );
    const shares = begun(yaml).commands.flatMap((one) =>
      one.type === 'runPlaybook' ? (one.caller.calls ?? 16) : [],
    );
    expect([...shares.slice(0, 6), shares.at(-1)]).toEqual([16, 16, 16, 16, 12, 10, 1]);
    // Sixteen for each would be 6,400.
    expect(shares.reduce((sum, one) => sum + one, 0)).toBeLessThan(700);
  });

  it('fails as its child failed, and a retry starts another child', () => {
    const yaml = parent(
      'spec: {policy: {rules: [{when: "{{ output.status == \'error\' }}", then: {do: retry, attempts: 2, delay: 1}}]}}',
    );
    const run = simulate(yaml, { mocks: { start: { sequence: [broken, { fine: true }] } } });
    expect(run.result).toEqual({ got: { fine: true } });
    const children = run.events.flatMap(
      ({ payload }) => (payload['child'] as { execution_id: string } | undefined) ?? [],
    );
    expect(new Set(children.map((child) => child.execution_id)).size).toBe(2);
    expect(run.calls.map((call) => call.attempt)).toEqual([1, 2]);
    const failed = simulate(parent(), { mocks: { start: broken } });
    expect(failed.error).toMatchObject({
      kind: 'sql',
      code: 'SQLSTATE_42P01',
      step: 'start',
      task: 'start_task',
    });
  });

  it('detached ends when the child runs, and is not cancelled with its parent', () => {
    const { machine, asked } = begun(parent('wait: false'));
    expect(asked.detached).toBe(true);
    const { commands, events } = machine.apply({
      at: START + 5,
      inputs: [{ type: 'childStarted', child: asked.child, version: '3', digest: 'd' }],
    });
    expect(commands.at(-1)).toEqual({
      type: 'complete',
      result: {
        got: {
          execution_id: asked.child,
          workflow_id: `noetl-${asked.child}`,
          path: 'lib/child',
          version: '3',
          digest: 'd',
          status: 'started',
          async: true,
        },
      },
    });
    expect(events.map(({ event_type }) => event_type)).toContain('task.done');
    const other = begun(parent('wait: "{{ false }}"'));
    const cancelled = other.machine.apply({ at: START + 5, inputs: [{ type: 'cancelRequested' }] });
    expect(cancelled.commands.map(({ type }) => type)).toEqual(['cancelled']);
  });

  it('is cancelled, paused and resumed with its parent, which waits for its end', () => {
    const { machine, asked } = begun(parent());
    const { child } = asked;
    const tell = (...inputs: Parameters<Machine['apply']>[0]['inputs']) =>
      machine.apply({ at: START + 5, inputs }).commands;
    expect(tell({ type: 'paused', reason: 'look' })).toEqual([
      { type: 'pausePlaybook', child, reason: 'look' },
    ]);
    expect(tell({ type: 'resumed' })).toEqual([{ type: 'resumePlaybook', child }]);
    expect(tell({ type: 'cancelRequested', reason: 'enough' })).toEqual([
      { type: 'cancelPlaybook', child, reason: 'enough' },
    ]);
    expect(tell({ type: 'childSettled', child, outcome: broken })).toEqual([
      { type: 'cancelled', reason: 'enough' },
    ]);
    expect(tell({ type: 'childSettled', child, outcome: broken })).toEqual([]);
  });

  it('that takes too long is cancelled, and fails with kind timeout', () => {
    const { machine, asked } = begun(parent('timeout: 30'));
    const { child } = asked;
    const fired = machine.apply({
      at: START + 30_000,
      inputs: [{ type: 'timerFired', key: 'child:start#1~1@1' }],
    });
    expect(fired.commands).toEqual([{ type: 'cancelPlaybook', child, reason: 'time limit of 30 s' }]);
    const ended = machine.apply({
      at: START + 31_000,
      inputs: [{ type: 'childSettled', child, outcome: broken }],
    });
    expect(ended.commands.at(-1)).toMatchObject({
      type: 'fail',
      error: { kind: 'timeout', code: 'TIMEOUT' },
    });
  });

  it('does not keep a long run from a fresh history, and settles after it', () => {
    const { machine, asked } = begun(parent('timeout: 30'));
    const drained = machine.apply({
      at: START + 1,
      inputs: [{ type: 'paused' }],
      continueAsNewSuggested: true,
    });
    expect(drained.commands.map(({ type }) => type)).toContain('continueAsNew');
    const next = Machine.from(planOf(parent('timeout: 30')), structuredClone(machine.state));
    const again = next.apply({ at: START + 2, inputs: [{ type: 'continued' }, { type: 'resumed' }] });
    expect(again.commands).toEqual([
      { type: 'startTimer', key: 'child:start#1~1@1', deadline: START + 30_000 },
      { type: 'resumePlaybook', child: asked.child },
    ]);
    const outcome: Outcome = { status: 'ok', result: 1, error: null, meta: {} };
    const end = next.apply({
      at: START + 3,
      inputs: [{ type: 'childSettled', child: asked.child, outcome }],
    });
    expect(end.commands.at(-1)).toEqual({ type: 'complete', result: { got: 1 } });
  });

  it('counts the depth of calls, and refuses the 33rd', () => {
    expect(begun(parent()).asked.caller).toMatchObject({ depth: 1, iter: null });
    expect(begun(parent(), 31).asked.caller.depth).toBe(32);
    const { commands } = begun(parent(), 32);
    expect(commands.at(-1)).toMatchObject({
      type: 'fail',
      error: {
        code: 'PLAYBOOK_DEPTH',
        step: 'start',
        message:
          'task start_task: playbook lib/child is nested 33 calls deep, more than 32: does it call itself endlessly?',
      },
    });
  });

  it('started in a loop gives its `iter` to the child, which sees it as iter.parent', () => {
    const { asked } = begun(
      playbookOf(`\n- step: start\n  loop: {in: [5], iterator: n}\n  tool: {kind: playbook, path: c}`),
    );
    expect(asked.caller.iter).toMatchObject({ n: 5, index: 0 });
    const child = Machine.create(
      planOf(playbookOf(`\n- step: start\n  tool: {kind: noop, input: {of: "{{ iter.parent.n }}"}}`)),
      '5',
      START,
    );
    const { commands } = child.apply({
      at: START,
      inputs: [{ type: 'started', payload: {}, caller: asked.caller }],
    });
    expect(commands.at(-1)).toEqual({ type: 'complete', result: { of: 5 } });
  });

  it('a call without a path, or with a payload that is no mapping, fails in words', () => {
    const run = simulate(
      playbookOf(`\n- step: start\n  tool: {kind: playbook, path: "{{ workload.nope }}"}`),
    );
    expect(run.error).toMatchObject({ code: 'PLAYBOOK_FIELDS', kind: 'validation' });
    const list = simulate(
      playbookOf(`\n- step: start\n  tool: {kind: playbook, path: c, payload: "{{ [1] }}"}`),
    );
    expect(list.error!.message).toMatch(/payload must be a mapping/);
    const text = simulate(
      playbookOf(`\n- step: start\n  tool: {kind: playbook, path: c, payload: "{{ 'x' }}"}`),
    );
    expect(text.error!.message).toMatch(/payload must be a mapping/);
    const truth = simulate(playbookOf(`\n- step: start\n  tool: {kind: playbook, path: "{{ true }}"}`));
    expect(truth.error!.message).toMatch(/path must be a string/);
  });

  it('is called by path or name with its inputs, over which the payload lies, and a version in figures', () => {
    const { asked } = begun(
      playbookOf(
        `\n- step: start\n  tool: {kind: playbook, name: lib/child, path: "", version: 3, input: {a: 1, b: 1}, payload: "{{ {'b': 2} }}"}`,
      ),
    );
    expect(asked).toMatchObject({ path: 'lib/child', version: '3', call: { input: { a: 1, b: 2 } } });
    expect(begun(parent()).asked).toMatchObject({ version: undefined, returnStep: undefined });
  });

  it.each([
    ['timeout: 1.5', 1500],
    ['spec: {timeout: {total: 20}}', 20_000],
    ['timeout: 1.5, spec: {timeout: {total: 20}}', 1500],
    ['', undefined],
    ['timeout: 1.5, wait: false', undefined],
  ])('with {%s} is given %s ms, from its start', (fields, limit) => {
    const { machine, commands, asked } = begun(parent(fields));
    const key = 'child:start#1~1@1';
    const timer = { type: 'startTimer', key, deadline: START + limit! };
    expect(commands).toEqual(limit === undefined ? [asked] : [asked, timer]);
    expect(machine.progress()).toMatchObject({ tasks_run: 1 });
    const { commands: last } = machine.apply({ at: START, inputs: [childEnds(asked)] });
    expect(last.map(({ type }) => type)).toEqual([
      ...(limit === undefined ? [] : ['cancelTimer']),
      'complete',
    ]);
  });

  it('that ends well although its time was over did what was asked; else the limit is why it failed', () => {
    const late = (outcome: Outcome) => {
      const { machine, asked } = begun(parent('timeout: 30'));
      const key = 'child:start#1~1@1';
      machine.apply({ at: START + 30_000, inputs: [{ type: 'timerFired', key }] });
      return machine.apply({ at: START + 31_000, inputs: [childEnds(asked, outcome)] });
    };
    const { commands, events } = late({ ...fine, meta: { runs: 2 } });
    expect(commands).toEqual([{ type: 'complete', result: { got: 1 } }]);
    expect(events.find(({ event_type }) => event_type === 'task.done')!.payload['outcome']).toEqual({
      ...fine,
      meta: { runs: 2, duration_ms: 31_000 },
    });
    expect(late(broken).events.find(({ event_type }) => event_type === 'task.failed')!.payload).toEqual({
      kind: 'playbook',
      outcome: {
        status: 'error',
        result: null,
        error: {
          kind: 'timeout',
          code: 'TIMEOUT',
          message: 'playbook lib/child did not end within its time limit of 30 s and was cancelled',
          retryable: true,
        },
        meta: { duration_ms: 31_000 },
      },
    });
  });

  it('that is asked for in the very batch that fails the execution is taken back: nobody hears of it', () => {
    const { commands, machine } = begun(
      playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: called}, {step: broken}]}
- step: called
  tool: {kind: playbook, path: lib/child, timeout: 30}
- step: broken
  tool: {kind: noop, input: {x: "{{ 1 / 0 }}"}}`),
    );
    expect(machine.state.executed).toEqual(['start', 'called', 'broken']);
    expect(commands.map(({ type }) => type)).toEqual(['startTimer', 'cancelTimer', 'fail']);
  });

  it('is stopped with its step, and not those of other steps', () => {
    const { machine, commands } = begun(
      playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: one}, {step: two}]}
- step: one
  tool: {kind: playbook, path: lib/one}
- step: two
  spec: {policy: {lifecycle: {timeout_s: 5}}}
  tool: {kind: playbook, path: lib/two}`),
    );
    const calls = commands.filter((one): one is RunPlaybook => one.type === 'runPlaybook');
    const { key } = commands.find(({ type }) => type === 'startTimer') as Extract<
      Command,
      { type: 'startTimer' }
    >;
    const late = machine.apply({ at: START + 5000, inputs: [{ type: 'timerFired', key }] }).commands;
    expect(late.filter(({ type }) => type === 'cancelPlaybook')).toMatchObject([{ child: calls[1]!.child }]);
  });

  it('detached hears of no pause; one that is not known, or has ended, is nobody to hear of', () => {
    const { machine, asked } = begun(parent('wait: false'));
    const tell = (...inputs: Parameters<Machine['apply']>[0]['inputs']) =>
      machine.apply({ at: START + 5, inputs }).commands;
    expect(tell({ type: 'paused' }, { type: 'resumed' })).toEqual([]);
    expect(tell({ type: 'childStarted', child: '404', digest: 'd' })).toEqual([]);
    expect(tell(childEnds({ ...asked, child: 'constructor' }))).toEqual([]);
    const [completed] = tell({ type: 'childStarted', child: asked.child, digest: 'd' });
    expect(completed).toMatchObject({ type: 'complete', result: { got: { digest: 'd' } } });
    expect(completed).not.toHaveProperty('result.got.version');
  });

  it.each([
    ['false', true],
    ['" False "', true],
    ['true', false],
    ['"no"', false],
    ['0', false],
  ])('wait: %s lets the child go: %s', (written, detached) => {
    expect(begun(parent(`wait: ${written}`)).asked.detached).toBe(detached);
  });
});

describe('secrets of a call', () => {
  const secrets: Secrets = { 'n.1': { ref: { provider: 'environment', secret: 'token' } } };
  const handle = secretHandle('n.1');

  it.each([
    ['in its inputs', 'args: {token: "{{ workload.token }}"}', ''],
    ['in its payload', 'payload: {token: "{{ workload.token }}"}', ''],
    ['in the item of the loop around it', 'payload: {}', 'loop: {in: "{{ workload.list }}", iterator: one}'],
  ])('%s go with it, and no others', (_, fields, loop) => {
    const plan = planOf(
      playbookOf(`\n- step: start\n  ${loop}\n  tool: {kind: playbook, path: lib/child, ${fields}}`),
    );
    const machine = Machine.create(plan, '1', START);
    const others: Secrets = { 'n.2': { ref: { provider: 'environment', secret: 'other' } } };
    const payload = { token: handle, list: [handle], unused: secretHandle('n.2') };
    const { commands } = machine.apply({
      at: START,
      inputs: [{ type: 'started', payload, secrets: { ...secrets, ...others } }],
    });
    const asked = commands.find((one) => one.type === 'runPlaybook')!;
    expect(asked.caller.secrets).toEqual(secrets);
  });

  it('are none where it is handed none', () => {
    const { asked } = begun(parent());
    expect(asked.caller).not.toHaveProperty('secrets');
  });
});

it('the execution says who called it', () => {
  const caller = { executionId: '1', taskRunId: 'start#1.x~1@1', depth: 2, iter: { index: 3 } };
  const machine = Machine.create(planOf(parent()), '123456789012345678', START);
  const { events } = machine.apply({ at: START, inputs: [{ type: 'started', payload: {}, caller }] });
  expect(events[0]!.payload).toMatchObject({
    caller: { execution_id: '1', task_run_id: 'start#1.x~1@1', depth: 2 },
  });
});

describe('what a call asks for', () => {
  it.each([
    ['', { detached: false, returnResult: undefined, returnStep: undefined }],
    ['return_result: true', { detached: false, returnResult: true, returnStep: undefined }],
    ['return_result: "{{ 1 == 1 }}"', { detached: false, returnResult: true, returnStep: undefined }],
    ['return_result: true, result_step: work', { detached: false, returnResult: true, returnStep: 'work' }],
    ['result_step: work', { detached: false, returnResult: true, returnStep: 'work' }],
    ['return_step: work', { detached: false, returnResult: undefined, returnStep: 'work' }],
    ['return_result: false', { detached: true, returnResult: undefined, returnStep: undefined }],
    ['return_result: "{{ 1 == 2 }}"', { detached: true, returnResult: undefined, returnStep: undefined }],
    [
      'return_result: false, return_step: work',
      { detached: false, returnResult: undefined, returnStep: 'work' },
    ],
    ['return_result: false, wait: true', { detached: false, returnResult: undefined, returnStep: undefined }],
    ['return_result: true, wait: false', { detached: true, returnResult: true, returnStep: undefined }],
  ])('%s', (fields, expected) => {
    const { detached, returnResult, returnStep } = begun(parent(fields)).asked;
    expect({ detached, returnResult, returnStep }).toEqual(expected);
  });
});

describe('a playbook called as an agent', () => {
  const agent = (more = ''): string =>
    playbookOf(`
- step: start
  tool: {kind: agent, framework: noetl, entrypoint: lib/child${more}}
  next:
    spec: {mode: exclusive}
    arcs:
    - {step: trouble, when: "{{ start.status == 'error' }}"}
    - {step: end}
- step: trouble
  tool: {kind: noop, input: {envelope: "{{ start }}"}}
- step: end
  tool: {kind: noop, input: {status: "{{ start.status }}", found: "{{ start.data.data.found }}", envelope: "{{ start }}"}}`);
  const envelope = {
    framework: 'noetl',
    entrypoint: 'lib/child',
    execution_id: expect.stringMatching(/^\d+$/),
    duration: 0.001,
  };

  it('gives its result in an envelope, asks for the result of its last call, and takes any payload', () => {
    const answer = { status: 'ok', data: { found: 'ROME' } };
    const run = simulate(agent(', payload: "{{ [1] }}"'), { mocks: { start: answer }, persist: true });
    expect(run.result).toEqual({
      status: 'ok',
      found: 'ROME',
      envelope: { ...envelope, status: 'ok', data: answer },
    });
    expect(run.calls[0]!.input).toEqual({ input: [1] });
    expect(begun(agent()).asked).toMatchObject({ path: 'lib/child', returnResult: true, detached: false });
  });

  it('a failure is a result as well, which an arc sees', () => {
    const run = simulate(agent(), { mocks: { start: broken } });
    expect(run.result).toEqual({
      envelope: {
        ...envelope,
        status: 'error',
        data: null,
        error: {
          kind: 'agent.execution',
          code: 'PLAYBOOK_FAILED',
          message: 'playbook lib/child failed at load',
          retryable: false,
          cause: { kind: 'sql', code: 'SQLSTATE_42P01' },
        },
      },
    });
    expect(run.end).toBe('complete');
  });

  it('a time limit cancels it, and is a failure like any', () => {
    const { machine, asked } = begun(agent(', wait_timeout_seconds: 2'));
    const key = `child:${asked.call.task_run_id}`;
    const { commands } = machine.apply({ at: START + 2_000, inputs: [{ type: 'timerFired', key }] });
    expect(commands).toMatchObject([{ type: 'cancelPlaybook', child: asked.child }]);
    const cancelled = { kind: 'cancelled', code: 'CANCELLED', message: 'x', retryable: false } as const;
    const outcome: Outcome = { status: 'error', result: null, error: cancelled, meta: {} };
    const ended = machine.apply({ at: START + 2_500, inputs: [childEnds(asked, outcome)] }).commands;
    expect(ended).toMatchObject([
      {
        type: 'complete',
        result: {
          envelope: {
            status: 'error',
            duration: 2.5,
            error: { cause: { kind: 'timeout', code: 'TIMEOUT' } },
          },
        },
      },
    ]);
  });
});
