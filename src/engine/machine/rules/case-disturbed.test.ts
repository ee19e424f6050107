/** Retries, rules and sinks that something from outside interrupts: limits, pauses, cancels, fresh histories. */
import { looped } from '../../../../test/support/loops';
import { runChecked as run } from '../../../../test/support/checked';
import {
  httpError,
  httpOk,
  ok,
  planOf,
  playbookOf,
  type Simulation,
  START,
} from '../../../../test/support/simulator';
import { drive } from '../../../../test/support/strict-driver';
import { type JsonObject, type Outcome, type TaskCall } from '../../../language/plan';
import { Machine } from '../machine';
import { type State } from '../state/state';

function leftBehind({ state }: { readonly state: State }): string[] {
  const { tokens, runs, frames, pending, timers } = state;
  return [tokens, runs, frames, pending, timers].flatMap(Object.keys);
}

const minutes = (count: number): number => count * 60_000;
const idsOf = ({ calls }: Simulation): string[] => calls.map((call) => call.task_run_id);

/** The call fails once and waits a minute, and so does the sink of its step. */
const patient = `
- step: start
  tool: {kind: http, url: "http://x"}
  retry: {max_attempts: 3, initial_delay: 60}
  sink: {name: kept, tool: {kind: http, url: "http://s", retry: {max_attempts: 3, initial_delay: 60}}}
  next: end
- step: end
  tool: {kind: noop}`;
const once = { sequence: [httpError(503), httpOk({ n: 1 })] };
const mocks = { 'start/start_task': once, kept: once };
const all = ['~1@1', '~1@2', '.kept~1@1', '.kept~1@2'].map((task) => `start#1${task}`);

describe.each([
  ['a retry policy of the call', 0.5, 1],
  ['a retry policy of a sink', 1.5, 3],
])('while %s waits', (_, at, made) => {
  it('a pause holds the next attempt back until it is lifted', () => {
    const messages = [
      { after: minutes(at), input: { type: 'paused' as const } },
      { after: minutes(10), input: { type: 'resumed' as const } },
    ];
    const paused = run(patient, { mocks, messages });
    expect([paused.end, idsOf(paused), leftBehind(paused)]).toEqual(['complete', all, []]);
    expect(paused.elapsed).toBeGreaterThanOrEqual(minutes(10));
    const resumed = paused.events.findIndex(({ event_type }) => event_type === 'playbook.resumed');
    const started = paused.events.slice(0, resumed).filter(({ event_type }) => event_type === 'task.started');
    expect(started.map((event) => event.task_run_id)).toEqual(all.slice(0, made));
  });

  it('a pause that is lifted before costs no time', () => {
    const messages = [
      { after: minutes(at), input: { type: 'paused' as const } },
      { after: minutes(at) + 1000, input: { type: 'resumed' as const } },
    ];
    const { elapsed } = run(patient, { mocks });
    expect(run(patient, { mocks, messages }).elapsed).toBe(elapsed);
  });

  it('a cancel ends the execution at once', () => {
    const messages = [{ after: minutes(at), input: { type: 'cancelRequested' as const } }];
    const cancelled = run(patient, { mocks, messages });
    expect([cancelled.end, idsOf(cancelled)]).toEqual(['cancelled', all.slice(0, made)]);
    expect([cancelled.elapsed, cancelled.state.timers]).toEqual([minutes(at), {}]);
  });

  it('a time limit ends the step; its rules see why, may store it and go on', () => {
    const limited = `
- step: start
  spec: {lifecycle: {timeout_s: ${at * 60}}}
  tool: {kind: http, url: "http://x"}
  retry: {max_attempts: 3, initial_delay: 60}
  sink: {name: kept, tool: {kind: http, url: "http://s", retry: {max_attempts: 3, initial_delay: 60}}}
  case:
    - when: "{{ event.name == 'step.failed' }}"
      then:
        - sink: {name: why, tool: {kind: python, code: "result = 1"}, args: {code: "{{ error.code }}"}}
        - next: [{step: b}]
- step: b
  tool: {kind: noop}`;
    const ended = run(limited, { mocks });
    // Behind EXIT no rule is asked any more: what fails the sinks of the step fails the step.
    const isBehindExit = made > 1;
    expect(ended.calls.filter(({ task }) => task === 'why').map(({ input }) => input)).toEqual(
      isBehindExit ? [] : [{ code: 'STEP_TIMEOUT' }],
    );
    expect(ended.state.executed).toEqual(isBehindExit ? ['start'] : ['start', 'b']);
    expect(ended.error?.code).toBe(isBehindExit ? 'STEP_TIMEOUT' : undefined);
  });
});

describe('a time limit while a sink is at work', () => {
  const plan = planOf(
    playbookOf(`
- step: start
  spec: {lifecycle: {timeout_s: 10}}
  tool: {kind: http, url: "http://x"}
  case:
    - when: "{{ event.name == 'call.done' }}"
      then: {sink: {name: slow, tool: {kind: python, code: "result = 1"}}, set: {stored: true}, next: [{step: a}]}
    - when: "{{ event.name == 'step.failed' }}"
      then: {sink: {name: why, tool: {kind: python, code: "result = 1"}}, next: [{step: b}]}
- step: a
  tool: {kind: noop}
- step: b
  tool: {kind: noop}`),
  );
  const cancelled: Outcome = {
    ...ok(null),
    status: 'error',
    error: { kind: 'cancelled', code: 'CANCELLED', message: 'stopped', retryable: false },
  };

  it.each([
    ['is stopped', cancelled],
    ['ends all the same', ok(1)],
  ])(
    'the sink %s; what stood behind it is not done, the rules on the failure are asked, once',
    (__, outcome) => {
      const machine = Machine.create(plan, '123456789012345678', START);
      const settled = (taskRunId: string, result: Outcome) =>
        machine.apply({ at: START, inputs: [{ type: 'taskSettled', taskRunId, outcome: result }] });
      machine.apply({ at: START, inputs: [{ type: 'started', payload: {} }] });
      const [limit] = Object.keys(machine.state.timers);
      expect(settled('start#1~1@1', httpOk(1)).commands).toMatchObject([
        { type: 'runTask', call: { task: 'slow' } },
      ]);
      const late = machine.apply({ at: START + 10_000, inputs: [{ type: 'timerFired', key: limit! }] });
      expect(late.commands).toEqual([{ type: 'cancelTask', taskRunId: 'start#1.slow~1@1' }]);
      const after = settled('start#1.slow~1@1', outcome);
      expect(after.commands).toMatchObject([{ type: 'runTask', call: { task: 'why' } }]);
      expect(after.events.find(({ event_type }) => event_type === 'sink.processed')).toMatchObject({
        entity_id: 'slow',
        status: 'error',
        payload: { error: { code: 'STEP_TIMEOUT' } },
      });
      expect(settled('start#1.why~1@1', ok(1)).commands).toMatchObject([{ type: 'complete' }]);
      expect([machine.state.executed, machine.state.ctx]).toEqual([['start', 'b'], { stored: true }]);
    },
  );
});

describe('a time limit while a policy of retry has a sink at work', () => {
  const paged = `kind: http
          url: "http://x"
          retry:
            - when: "{{ response.has_more }}"
              then:
                max_attempts: 5
                next_call: {params: {page: 2}}
                sink: {name: stored, tool: {kind: python, code: "result = 1"}}`;

  it.each([
    ['the tool of the step', `tool:\n          ${paged}`, 'start#1.stored~1@1'],
    [
      'a task of a loop in the pipeline',
      `tool:
    - name: each
      kind: iterator
      loop: {in: [1], iterator: n}
      tool:
        - name: get
          ${paged}`,
      'start#1.each~1@1[0].stored~1@1',
    ],
  ])('the sink of %s is closed with it', (__, tool, sink) => {
    const plan = planOf(
      playbookOf(`
- step: start
  spec: {lifecycle: {timeout_s: 10}}
  ${tool}`),
    );
    const machine = Machine.create(plan, '123456789012345678', START);
    const { commands } = machine.apply({ at: START, inputs: [{ type: 'started', payload: {} }] });
    const [get] = commands.flatMap((command) =>
      command.type === 'runTask' ? [command.call.task_run_id] : [],
    );
    const [limit] = Object.keys(machine.state.timers);
    const page = httpOk({ has_more: true });
    machine.apply({ at: START, inputs: [{ type: 'taskSettled', taskRunId: get!, outcome: page }] });
    const late = machine.apply({ at: START + 10_000, inputs: [{ type: 'timerFired', key: limit! }] });
    expect(late.commands).toEqual([{ type: 'cancelTask', taskRunId: sink }]);
    const { commands: last, events } = machine.apply({
      at: START + 10_000,
      inputs: [{ type: 'taskSettled', taskRunId: sink, outcome: ok(1) }],
    });
    expect(events.find(({ event_type }) => event_type === 'sink.processed')).toMatchObject({
      entity_id: 'stored',
      status: 'error',
      payload: { error: { code: 'STEP_TIMEOUT' } },
    });
    expect(last).toMatchObject([{ type: 'fail', error: { code: 'STEP_TIMEOUT' } }]);
  });
});

/** Pages, retries and sinks at every level, in a loop. */
const busy = planOf(
  playbookOf(`
- step: start
  loop: {in: [1, 2], iterator: n}
  tool: {kind: http, url: "http://x/{{ n }}", params: {page: 1}}
  retry:
    - when: "{{ error is defined }}"
      then: {max_attempts: 3, initial_delay: 5}
    - when: "{{ response.has_more }}"
      then:
        max_attempts: 10
        next_call: {params: {page: "{{ page.page + 1 }}"}}
        collect: {strategy: append, path: items, into: iter.found}
        sink: {name: of_page, tool: {kind: http, url: "http://s", retry: {max_attempts: 3, initial_delay: 5}}, args: {page: "{{ page.page }}"}}
  case:
    - when: "{{ event.name == 'step.exit' }}"
      then:
        - set: {seen: "{{ (ctx.seen | default(0)) + 1 }}"}
        - sink: {name: of_exit, tool: {kind: python, code: "result = 1"}, args: {n: "{{ n }}", all: "{{ result }}"}}
        - next: [{step: report}]
  sink: {name: of_step, tool: {kind: http, url: "http://s", retry: {max_attempts: 3, initial_delay: 5}}, args: {all: "{{ result }}"}}
- step: report
  tool: {kind: noop, args: {all: "{{ start }}", seen: "{{ ctx.seen }}"}}`),
);

/** The first attempt of everything by http fails; two pages an item. */
function flaky({ attempt, config, task }: TaskCall): Outcome {
  const params = config['params'] as JsonObject | undefined;
  if (task === 'of_exit') return ok(1);
  if (attempt === 1) return httpError(503);
  const page = Number(params?.['page'] ?? 0);
  return httpOk({ page, has_more: page === 1, items: [page * 10, page * 10 + 1] });
}

describe('a fresh history', () => {
  /** With Temporal asking for one at this batch: what was asked of tools, what came of it, and where it came. */
  function drained(at?: number) {
    const asked: unknown[] = [];
    const openedBy = new Map<unknown, number>();
    const inMidSink: unknown[] = [];
    const driven = drive(busy, {
      answer: (call) => {
        asked.push([call.task_run_id, call.input, call.config['params']]);
        return flaky(call);
      },
      drainAt: at === undefined ? [] : [at],
      persist: true,
      observer: {
        emitted: ({ event_type, payload }, state) => {
          const continuations = state.continuations ?? 0;
          if (event_type === 'sink.started') openedBy.set(payload['sink'], continuations);
          else if (event_type === 'sink.processed' && openedBy.get(payload['sink']) !== continuations)
            inMidSink.push(payload['sink']);
        },
      },
    });
    const { end, result, broken, continuations, state } = driven;
    return { asked, end, result, broken, continuations, inMidSink, ctx: state.ctx, left: leftBehind(driven) };
  }

  it('comes out the same wherever it comes, in the middle of a sink and of a wait as well', () => {
    const undisturbed = drained();
    const pages = [10, 11, 20, 21];
    expect(undisturbed).toMatchObject({
      end: 'complete',
      result: { all: looped([pages, pages]), seen: 2 },
      broken: [],
      left: [],
    });
    const inMidSink = new Set<unknown>();
    let at = 1;
    for (let again = drained(at); again.continuations > 0; again = drained(++at)) {
      for (const sink of again.inMidSink) inMidSink.add(sink);
      expect(again).toEqual({ ...undisturbed, continuations: 1, inMidSink: again.inMidSink });
    }
    const sinks = [0, 1].flatMap((n) =>
      ['of_page~1', 'of_page~2', 'of_exit~1', 'of_step~1'].map((name) => `start#1[${n}].${name}`),
    );
    expect([...inMidSink].sort()).toEqual(sinks.sort());
  });
});

describe('retry and sinks inside of nested loops', () => {
  const nested = `
- step: start
  loop: {in: [a, b], iterator: group, mode: parallel}
  tool:
    - name: each
      kind: iterator
      loop: {in: [1, 2], iterator: n, spec: {mode: parallel}}
      tool:
        - name: get
          kind: http
          url: "http://x/{{ group }}/{{ n }}"
          params: {page: 1}
          retry:
            - when: "{{ error is defined }}"
              then: {max_attempts: 3, initial_delay: 5}
            - when: "{{ response.has_more }}"
              then:
                max_attempts: 10
                next_call: {params: {page: "{{ page.page + 1 }}"}}
                collect: {from: "[group, n, page.page]", into: all}
                sink: {name: stored, tool: {kind: python, code: "result = 1"}, args: {at: "{{ group }}{{ n }}.{{ page.page }}"}}
  sink: {name: kept, tool: {kind: python, code: "result = 1"}, args: {group: "{{ group }}", got: "{{ result | length }}"}}
  next: end
- step: end
  tool: {kind: noop}`;

  it.each([
    ['the oldest first', () => 0],
    ['the newest first', (n: number) => n - 1],
    ['from the middle', (n: number) => Math.floor(n / 2)],
  ])('come out the same in any order: %s', (_, choose) => {
    const nestedRun = run(nested, { choose, mocks: { get: flaky, stored: 1, kept: 1 } });
    expect([nestedRun.end, leftBehind(nestedRun)]).toEqual(['complete', []]);
    const inputs = (task: string): unknown[] =>
      nestedRun.calls.filter((call) => call.task === task).map(({ input }) => input);
    const all = ['a1.1', 'a1.2', 'a2.1', 'a2.2', 'b1.1', 'b1.2', 'b2.1', 'b2.2'];
    expect(inputs('stored')).toHaveLength(all.length);
    expect(inputs('stored')).toEqual(expect.arrayContaining(all.map((at) => ({ at }))));
    expect(inputs('kept')).toEqual(
      expect.arrayContaining([
        { group: 'a', got: 2 },
        { group: 'b', got: 2 },
      ]),
    );
    // In the order of the items, whoever came first.
    const places = ['a', 'b'].flatMap((group) =>
      [1, 2].flatMap((n) => [1, 2].map((page) => [group, n, page])),
    );
    expect(nestedRun.state.ctx['all']).toEqual(places);
  });

  it('a failing sink deep inside fails its task, iteration and step, naming where', () => {
    const failing = run(nested, { mocks: { get: flaky, stored: httpError(500), kept: 1 } });
    expect(failing.end).toBe('fail');
    expect(failing.error).toMatchObject({ step: 'start', task: 'each', code: 'HTTP_500', iteration: 0 });
    expect(failing.error!.message).toMatch(/item 1 \(index 0\), task stored/);
  });
});
