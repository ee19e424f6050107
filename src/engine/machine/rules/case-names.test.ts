/** What rules of `case` and sinks read of the call at hand: `_retry`, `event`, `result`; and why a rule did not fire. */
import {
  type ActionSketch,
  type CaseRuleSketch,
  handPlan,
  type StepSketch,
} from '../../../../test/support/plans';
import { httpError, type Mocks, ok, simulate, type Simulation } from '../../../../test/support/simulator';

const failed = httpError(503);
const log = (message: string): ActionSketch => ({ do: 'log', message });
const run = (steps: readonly StepSketch[], mocks: Mocks = {}): Simulation =>
  simulate(handPlan(steps), { mocks });

function logged({ events }: Simulation): unknown[] {
  return events.flatMap(({ event_type, payload }) => (event_type === 'step.log' ? [payload['message']] : []));
}

describe('_retry', () => {
  const sequence = [failed, failed, ok(1), failed, ok(2)];
  it.each<[string, ActionSketch]>([
    ['call', { do: 'call', overrides: { input: { more: true } } }],
    ['retry with overrides', { do: 'retry', attempts: 9, overrides: { input: { more: true } } }],
  ])('counts attempts where they are asked for, pages for a %s and wherever it has turned one', (_, turn) => {
    const simulated = run(
      [
        {
          name: 'start',
          tasks: [{ name: 'call' }],
          case: [
            {
              when: "event.name == 'call.error'",
              readsFailure: true,
              actions: [log('error {{ _retry.index }} of {{ _retry.count }}'), { do: 'retry', attempts: 3 }],
            },
            {
              when: "event.name == 'call.done' and _retry.index < 2",
              actions: [log('page {{ _retry.index }} of {{ _retry.count }}'), turn],
            },
            {
              when: "event.name == 'call.done'",
              actions: [log('last {{ _retry.index }} of {{ _retry.count }}')],
            },
          ],
        },
      ],
      { call: { sequence } },
    );
    expect(logged(simulated)).toEqual([
      ...['error 1 of 1', 'error 2 of 2', 'page 1 of 3'],
      ...['error 2 of 4', 'last 2 of 5'],
    ]);
  });

  it('counts the pages of a pipeline that is called again as a whole', () => {
    const simulated = run(
      [
        {
          name: 'start',
          tasks: [{ name: 'fetch' }, { name: 'parse' }],
          case: [
            {
              when: "event.name == 'call.done' and _retry.index < 3",
              actions: [
                log('page {{ _retry.index }} of {{ _retry.count }}'),
                { do: 'call', overrides: { input: { page: '{{ _retry.index + 1 }}' } } },
              ],
            },
            {
              when: "event.name == 'call.done'",
              actions: [log('last {{ _retry.index }} of {{ _retry.count }}')],
            },
          ],
        },
      ],
      {},
    );
    expect(logged(simulated)).toEqual(['page 1 of 1', 'page 2 of 2', 'last 3 of 3']);
    // What is laid over is the first task's.
    expect(simulated.calls.map(({ task, input }) => [task, input['page']])).toEqual(
      [undefined, 2, 3].flatMap((page) => [
        ['fetch', page],
        ['parse', undefined],
      ]),
    );
  });

  it.each([
    ['the attempt', [failed, ok({})], { index: 2, count: 2 }],
    ['the page, once there are pages', [ok({ more: true }), failed, failed, ok({})], { index: 2, count: 4 }],
    ['the call', [ok({})], { index: 1, count: 1 }],
  ])('in a sink of the task it is %s', (_, answers, seen) => {
    const { calls } = run(
      [
        {
          name: 'start',
          tasks: [
            {
              name: 'call',
              retry: [
                { when: 'error is defined', attempts: 5, delay: 0 },
                { when: 'data.more', attempts: 5, overrides: { input: { page: 2 } } },
              ],
              sinks: ['store'],
            },
          ],
          asides: [{ name: 'store', input: { seen: '{{ _retry }}' } }],
        },
      ],
      { call: { sequence: answers } },
    );
    expect(calls.at(-1)).toMatchObject({ task: 'store', input: { seen } });
  });
});

describe('event', () => {
  const fields = '{{ event.step }} {{ event.step_run_id }} {{ event.iteration }} {{ event.status }}';

  it('tells where and how the call ended', () => {
    const simulated = run(
      [
        {
          name: 'start',
          loop: { in: ['a', 'b'], as: 'letter' },
          bestEffort: true,
          tasks: [{ name: 'call' }],
          case: [
            {
              when: "event.name == 'call.error'",
              readsFailure: true,
              actions: [log(`${fields} {{ event.error.code }}`)],
            },
            { when: "event.name == 'call.done'", actions: [log(`${fields} {{ event.error is none }}`)] },
            { when: "event.name == 'step.done'", actions: [log(`{{ event.name }} ${fields}`)] },
          ],
        },
      ],
      { call: { sequence: [failed, ok(1)] } },
    );
    expect(logged(simulated)).toEqual([
      ...['start start#1 0 error HTTP_503', 'start start#1 1 ok False'],
      'loop.done start start#1  ok',
    ]);
  });

  it('of a step without tools that failed at its beginning says so', () => {
    const simulated = run([
      {
        name: 'start',
        tasks: [],
        case: [
          {
            when: "event.name == 'step.enter'",

            actions: [{ do: 'fail', message: 'too early' }],
          },
          {
            when: "event.name == 'step.failed'",
            readsFailure: true,
            actions: [log('{{ error.message }}'), { do: 'next', arcs: [0] }],
          },
        ],
        next: [{ step: null, rule: 1 }],
      },
    ]);
    expect([simulated.end, logged(simulated)]).toEqual(['complete', ['too early']]);
  });
});

it('at the beginning of a loop its result of the round before is out of sight', () => {
  const simulated = run([
    {
      name: 'start',
      loop: { in: [1, 2], as: 'n' },
      tasks: [{ name: 'call' }],
      case: [
        {
          when: "event.name == 'step.enter'",

          actions: [log('enter {{ result }}')],
        },
        { when: "event.name == 'loop.done'", actions: [log('done {{ result.count }}')] },
      ],
      next: [{ step: 'again' }],
    },
    {
      name: 'again',
      tasks: [],
      set: { 'ctx.rounds': '{{ (ctx.rounds | default(0)) + 1 }}' },
      next: [{ step: 'start', when: 'ctx.rounds < 2' }],
    },
  ]);
  expect(logged(simulated)).toEqual(['enter ', 'done 2', 'enter ', 'done 2']);
});

describe('a failing sink', () => {
  const rules = (first: ActionSketch[]): StepSketch['case'] => [
    { when: "event.name == 'call.done'", actions: first },
    { when: "event.name == 'call.error'", readsFailure: true, actions: [log('call.error')] },
    { when: "event.name == 'step.failed'", readsFailure: true, actions: [log('step.failed')] },
  ];
  const asides = [{ name: 'bad', kind: 'postgres' }];

  it.each<[string, Partial<StepSketch>, string[]]>([
    ['of a rule', { case: rules([{ do: 'sink', task: 'bad' }]) }, ['step.failed']],
    ['of the task', { tasks: [{ name: 'call', sinks: ['bad'] }], case: rules([]) }, ['step.failed']],
    ['of the step, for no rule at all', { sinks: ['bad'], case: rules([]) }, []],
  ])('%s is a failure of the step, not of the call', (_, step, asked) => {
    const simulated = run([{ name: 'start', tasks: [{ name: 'call' }], asides, ...step }], { bad: failed });
    expect([simulated.end, logged(simulated)]).toEqual(['fail', asked]);
  });
});

describe('the verdict on each rule', () => {
  /** By event, what was found of each rule. */
  function verdicts({ events }: Simulation): Record<string, unknown[]> {
    const found: Record<string, unknown[]> = {};
    for (const { event_type, payload } of events) {
      if (event_type !== 'case.evaluated') continue;
      const rules = payload['rules'] as { verdict: string }[];
      (found[payload['event'] as string] ??= []).push(...rules.map(({ verdict }) => verdict));
    }
    return found;
  }
  const enter: CaseRuleSketch = {
    when: "event.name == 'step.enter'",

    actions: [log('entered')],
  };
  const errors: Omit<CaseRuleSketch, 'actions'> = { when: "event.name == 'call.error'", readsFailure: true };
  const retry: ActionSketch = { do: 'retry', attempts: 1 };
  const onward: ActionSketch = { do: 'next', arcs: [0] };
  const decided = 'not evaluated: an earlier rule matched';

  it.each<[string, Partial<StepSketch>, Mocks, Record<string, string[]>]>([
    [
      'a call that is fine',
      { case: [{ when: "event.name == 'call.done'", actions: [] }, enter, { actions: [onward] }] },
      {},
      {
        'step.enter': ['not evaluated: it applies to the call', 'fires', decided],
        'call.done': ['fires', decided, decided],
      },
    ],
    [
      'a used-up retry: an else that only writes is not asked',
      { case: [{ ...errors, actions: [retry] }, { actions: [log('else')] }] },
      { call: failed },
      {
        'call.error': [
          'retries exhausted after 1 attempts',
          'not evaluated: after exhausted retries only a guard, or an else that moves elsewhere or fails',
        ],
      },
    ],
    [
      'a used-up retry: an else that goes on is asked',
      { case: [{ ...errors, actions: [retry] }, { actions: [log('else'), onward] }] },
      { call: failed },
      {
        'call.error': ['retries exhausted after 1 attempts', 'fires'],
      },
    ],
    [
      'a used-up retry: an else that fails is asked',
      { case: [{ ...errors, actions: [retry] }, { actions: [log('else'), { do: 'fail' }] }] },
      { call: failed },
      {
        'call.error': ['retries exhausted after 1 attempts', 'fires'],
      },
    ],
    [
      'an else that waits for the end',
      { case: [{ on: ['end'], actions: [onward] }] },
      {},
      { 'step.exit': ['fires'] },
    ],
    [
      'a step without a tool: its else is asked at the end',
      {
        tasks: [],
        case: [{ when: 'false', actions: [] }, { actions: [{ do: 'skip' }] }],
      },
      {},
      { 'step.exit': ['guard is false', 'fires'] },
    ],
    [
      'attempts that the answer itself sets',
      {
        case: [
          { when: "event.name == 'call.done'", actions: [{ do: 'retry', attempts: '{{ result.tries }}' }] },
        ],
      },
      { call: ok({ tries: 2 }) },
      {
        'call.done': ['fires', 'retries exhausted after 2 attempts'],
      },
    ],
    [
      'all rules act: only the else gives way',
      {
        allRules: true,
        case: [
          { when: "event.name == 'call.done'", actions: [] },
          { when: 'true', actions: [] },
          { actions: [] },
        ],
      },
      {},
      {
        'call.done': ['fires', 'fires', 'not evaluated: an earlier rule matched'],
        'step.exit': [
          'not evaluated: it applies to the call',
          'not evaluated: it matched before',
          'not evaluated: it applies to the call',
        ],
      },
    ],
  ])('%s', (_, step, mocks, expected) => {
    const simulated = run(
      [{ name: 'start', tasks: [{ name: 'call' }], next: [{ step: null, rule: 2 }], ...step }],
      mocks,
    );
    expect(verdicts(simulated)).toEqual(expected);
  });
});

describe('a failure that `result` has answered', () => {
  const answers = (value: string): ActionSketch => ({ do: 'result', value });
  const seen = log("{{ event.name }} {{ error.code | default('none') }} {{ response.status_code }}");

  it('is still there for what else the rule does, and for no rule on the end', () => {
    const simulated = run(
      [
        {
          name: 'start',
          tasks: [{ name: 'call' }],
          case: [
            {
              when: "event.name == 'call.error'",
              readsFailure: true,
              actions: [seen, answers('mine'), seen],
            },
            { when: "event.name == 'step.exit'", actions: [log('{{ error is defined }} {{ result }}')] },
          ],
        },
      ],
      { call: failed },
    );
    expect(logged(simulated)).toEqual(['call.error HTTP_503 503', 'call.error HTTP_503 503', 'False mine']);
  });

  it('keeps the response hidden that its guard does not see', () => {
    const shown = log('{{ response is defined }}');
    const simulated = run(
      [
        {
          name: 'start',
          tasks: [{ name: 'call' }],
          case: [
            { when: "event.name == 'call.done'", actions: [{ do: 'fail' }] },
            {
              when: "event.name == 'step.exit' and error is defined",
              seesError: true,
              actions: [answers('mine'), shown],
            },
          ],
        },
      ],
      { call: { body: { v: 1 } } },
    );
    expect(logged(simulated)).toEqual([false]);
    expect(simulated.result).toBe('mine');
  });

  it('is answered by a second `result` as well, in its iteration', () => {
    const simulated = run(
      [
        {
          name: 'start',
          loop: { in: [1, 2], as: 'item' },
          tasks: [{ name: 'call' }],
          allRules: true,
          case: [
            { when: "event.name == 'call.error'", readsFailure: true, actions: [answers('one')] },
            { when: "event.name == 'call.error'", readsFailure: true, actions: [answers('two')] },
          ],
        },
      ],
      { call: { sequence: [failed, ok(5)] } },
    );
    expect(simulated.result).toEqual(expect.objectContaining({ results: ['two', 5] }));
  });
});
