/**
 * Recorded traces of engine version 1: every batch, event and command of runs that use everything a plan can say. A
 * difference is a change of behaviour: of a running execution (then it needs a new engine version) or of what events
 * tell. `UPDATE_TRACES=1 npx jest src/engine/traces` records anew; read the difference before it is committed.
 */
import { handPlan, type StepSketch } from '../../test/support/plans';
import { httpError, httpOk, ok } from '../../test/support/simulator';
import { expectTrace, type Scenario, trace } from '../../test/support/trace';
import { type Plan } from '../plan';

const plan = (steps: readonly StepSketch[], more: Partial<Plan> = {}): Plan =>
  handPlan(steps, { digest: 'd1', metadata: { name: 'Traced', path: 'test/traced', version: '3' }, ...more });

const limits = { maxStepRuns: 3, maxTaskVisits: 3, maxPayloadBytes: 262_144 };
const at = [1, 1] as const;
const external = (name: string, payload: Record<string, unknown>, id?: string): never =>
  ({ type: 'externalEvent', name, payload, ...(id ? { id } : {}) }) as never;
const failing = httpError(503);
const broken = '{{ 1 / 0 }}';

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'fork and join, writes, admission': {
    plan: plan(
      [
        {
          name: 'start',
          input: { seed: '{{ workload.size }}', id: '{{ execution_id }}', uuid: '{{ job.uuid }}' },
          tasks: [
            {
              name: 'count',
              input: { n: '{{ seed }}' },
              set: { 'ctx.counted': '{{ output }}', local: 1, 'iter.x': 2 },
            },
          ],
          set: { 'ctx.a.b': '{{ start.task }}', 'step.own': '{{ count.task }}', bare: '{{ result.task }}' },
          inclusive: true,
          next: [
            { step: 'left', args: { side: 'l', both: { l: 1 } }, set: { 'ctx.went': 'left', extra: true } },
            { step: 'right', when: 'workload.size > 1', args: { side: 'r', both: { r: 1 } } },
            { step: 'never', when: 'event.name == "step.failed"' },
            { step: null, when: 'false' },
          ],
        },
        {
          name: 'left',
          tasks: [{ name: 'l', kind: 'noop', input: { a: '{{ args }}' } }],
          next: [{ step: 'join' }],
        },
        {
          name: 'right',
          tasks: [
            { name: 'r' },
            { name: 'r2', kind: 'event_log', input: { prev: '{{ _prev }}', task: '{{ _task }}' } },
          ],
          next: [{ step: 'gate' }],
        },
        { name: 'gate', tasks: [], admit: 'token.args.open', next: [{ step: 'join' }] },
        { name: 'never', tasks: [] },
        {
          name: 'join',
          tasks: [{ name: 'j', kind: 'noop', input: { all: '{{ args }}' } }],
          next: [{ step: 'end' }],
        },
        {
          name: 'end',
          tasks: [{ name: 'e', kind: 'noop', input: { r: '{{ right.results.r2.task }}', l: '{{ left }}' } }],
        },
      ],
      {
        workload: {
          map: [
            ['size', { const: 1 }],
            ['half', { const: 2 }],
          ],
        },
      },
    ),
    payload: { size: 4 },
    answers: { count: ok({ task: 'count', n: 1 }) },
  },
  'rules of tasks': {
    plan: plan([
      {
        name: 'start',
        tasks: [
          {
            name: 'slow',
            rules: [
              {
                when: "output.status == 'error' and output.error.status == 429",
                do: 'retry',
                attempts: 3,
                delay: 5,
              },
              { when: "output.status == 'error'", do: 'retry', attempts: 2, delay: 0 },
              {
                when: "output.status == 'error'",
                do: 'jump',
                to: 'last',
                set: { 'ctx.gave_up': '{{ _attempt }}' },
              },
              { do: 'continue' },
            ],
          },
          { name: 'skipped' },
          {
            name: 'last',
            rules: [
              {
                when: '(iter.turns | default(0)) < 1',
                do: 'jump',
                to: 'last',
                set: { 'iter.turns': 1, mark: 'm' },
              },
              { when: 'output.data.task == "last"', do: 'break', set: { 'ctx.iter': '{{ iter }}' } },
            ],
          },
          { name: 'unreached' },
        ],
        next: [{ step: 'fails' }],
      },
      {
        name: 'fails',
        tasks: [{ name: 'no', rules: [{ when: 'true', do: 'fail' }] }],
        next: [
          {
            step: 'exhausts',
            handlesFailure: true,
            when: "error.code == 'RULE_FAIL'",
            args: { m: '{{ error.message }}' },
          },
        ],
      },
      {
        name: 'exhausts',
        tasks: [
          {
            name: 'again',
            rules: [{ when: 'true', do: 'retry', attempts: 2, delay: 0 }, { do: 'continue' }],
          },
        ],
        next: [{ step: 'unruled', handlesFailure: true, when: "event.name == 'step.failed'" }],
      },
      {
        name: 'unruled',
        tasks: [{ name: 'plain' }],
        next: [
          { step: 'never', when: 'true' },
          {
            step: 'end',
            handlesFailure: true,
            seesError: true,
            when: "event.name == 'call.done' and error is defined",
          },
        ],
      },
      { name: 'never', tasks: [] },
      { name: 'end', tasks: [] },
    ]),
    answers: {
      slow: [httpError(429, { retry_after: 9 }), httpError(500), httpError(500)],
      plain: { ...failing, pg: { code: '1', sqlstate: '23505' } as never },
    },
  },
  'loops of steps': {
    plan: plan([
      {
        name: 'start',
        loop: { in: '{{ workload.items }}', as: 'item' },
        input: { x: '{{ item.n }}' },
        tasks: [
          {
            name: 'one',
            input: { i: '{{ loop_index }}', l: '{{ loop }}', it: '{{ iter }}' },
            set: { 'ctx.last': '{{ loop_index }}' },
          },
        ],
        next: [
          {
            step: 'parallel',
            when: "event.name == 'loop.done'",
            args: { stats: '{{ start.stats }}', all: '{{ start }}' },
          },
        ],
      },
      {
        name: 'parallel',
        loop: { in: [1, 2, 3], as: 'n', parallel: 2 },
        bestEffort: true,
        tasks: [{ name: 'two', input: { n: '{{ n }}' }, set: { 'ctx.same': 'x' } }],
        next: [{ step: 'conflicts', args: { s: '{{ parallel.stats }}' } }],
      },
      {
        name: 'conflicts',
        loop: { in: [1, 2], as: 'n', parallel: 2 },
        tasks: [{ name: 'three', set: { 'ctx.shared': '{{ n }}' } }],
        next: [{ step: 'stops', handlesFailure: true, when: "error.code == 'CTX_CONFLICT'" }],
      },
      {
        name: 'stops',
        loop: { in: [1, 2, 3], as: 'n', parallel: 2 },
        bestEffort: false,
        tasks: [{ name: 'four' }],
        next: [
          {
            step: 'none',
            handlesFailure: true,
            when: 'error is defined',
            args: { i: '{{ event.error.code }}' },
          },
        ],
      },
      { name: 'none', loop: { in: null, as: 'n' }, tasks: [{ name: 'five' }], next: [{ step: 'wrong' }] },
      { name: 'wrong', loop: { in: { a: 1 }, as: 'n' }, tasks: [{ name: 'six' }] },
    ]),
    payload: { items: [{ n: 1 }, { n: 2 }] },
    answers: { two: [ok(1), failing, ok(3)], four: [ok(1), failing, ok(3)] },
  },
  'loops inside of pipelines': {
    plan: plan([
      {
        name: 'start',
        loop: { in: ['a', 'b'], as: 'letter', parallel: 2 },
        tasks: [
          {
            name: 'inner',
            loop: { in: [1, 2], as: 'n' },
            input: { both: '{{ letter }}{{ n }}' },
            options: { failure: { mode: 'best_effort' } },
            body: [
              {
                name: 'deep',
                input: { at: '{{ iter.parent.letter }}{{ iter.n }}', both: '{{ both }}' },
                set: { 'iter.seen': '{{ output }}' },
              },
              {
                name: 'deeper',
                loop: { in: [7], as: 'm', parallel: 3 },
                body: [{ name: 'leaf', input: { p: '{{ iter.parent.parent.letter }}' } }],
              },
            ],
          },
          { name: 'after', kind: 'noop', input: { got: '{{ inner.stats }}', list: '{{ inner }}' } },
        ],
        next: [{ step: 'fails' }],
      },
      {
        name: 'fails',
        tasks: [
          {
            name: 'outer',
            loop: { in: [1, 2], as: 'n', parallel: 2 },
            options: { failure: { mode: 'fail_fast' } },
            body: [{ name: 'bad' }],
            rules: [{ when: "output.status == 'error'", do: 'retry', attempts: 2, delay: 3 }],
          },
        ],
      },
    ]),
    answers: { deep: [ok(1), failing, ok(2)], bad: failing },
  },
  'case on a call': {
    plan: plan([
      {
        name: 'start',
        tasks: [{ name: 'page', kind: 'http', config: { params: { page: 1 } }, input: { q: 'x' } }],
        asides: [
          {
            name: 'store',
            kind: 'postgres',
            input: { rows: '{{ result.items }}', n: '{{ _retry.index }}' },
            when: '_retry.index < 3',
          },
          { name: 'audit', kind: 'event_log', input: { all: '{{ start }}' } },
        ],
        sinks: ['audit'],
        set: { 'ctx.total': '{{ result | length }}' },
        case: [
          {
            when: "event.name == 'step.enter'",
            onEnter: true,
            actions: [
              { do: 'set', set: { 'ctx.entered': true } },
              { do: 'log', message: 'in {{ event.name }}' },
            ],
          },
          {
            when: "event.name == 'call.error' and error.status == 503",
            readsFailure: true,
            actions: [
              { do: 'log', message: '{{ response.status_code }}' },
              { do: 'retry', attempts: 3, delay: 4, backoff: 'exponential' },
            ],
          },
          {
            when: "event.name == 'call.done' and response.more",
            actions: [
              {
                do: 'collect',
                from: '{{ response.items }}',
                into: 'ctx.items',
                mode: 'concat',
                isResult: true,
              },
              { do: 'sink', task: 'store' },
              {
                do: 'retry',
                attempts: 5,
                overrides: { config: { params: { page: '{{ page.page + 1 }}' } }, input: { more: true } },
              },
            ],
          },
          {
            when: "event.name == 'call.done'",
            actions: [
              {
                do: 'collect',
                from: '{{ response.items }}',
                into: 'ctx.items',
                mode: 'concat',
                isResult: true,
              },
            ],
          },
          {
            when: "event.name == 'step.exit'",
            actions: [
              { do: 'set', set: { 'step.done': 1 } },
              { do: 'next', arcs: [1, 2] },
            ],
          },
        ],
        next: [
          { step: 'never' },
          { step: 'left', rule: 4, args: { r: '{{ result }}' } },
          { step: 'right', rule: 4, set: { 'ctx.arc': '{{ this }}' } },
        ],
      },
      { name: 'never', tasks: [] },
      {
        name: 'left',
        tasks: [{ name: 'bad' }],
        case: [
          {
            when: "event.name == 'call.error'",
            readsFailure: true,
            actions: [{ do: 'result', value: { saved: '{{ error.code }}' } }],
          },
          {
            when: "event.name == 'step.done'",
            actions: [{ do: 'skip', reason: 'enough of {{ response.saved }}' }],
          },
        ],
        next: [{ step: 'end' }],
      },
      {
        name: 'right',
        tasks: [{ name: 'first' }, { name: 'second' }],
        allRules: true,
        case: [
          {
            when: "event.name == 'call.done' and _retry.count < 2",
            actions: [{ do: 'call', overrides: { input: { again: true } } }],
          },
          {
            when: "event.name == 'step.exit' and ctx.total > 1",
            actions: [{ do: 'fail', message: 'total {{ ctx.total }}' }],
          },
          {
            when: "event.name in ['step.exit', 'call.done'] and error is defined",
            seesError: true,
            actions: [{ do: 'next', arcs: [0] }],
          },
          { actions: [{ do: 'log', message: { plain: 1 } }] },
        ],
        next: [{ step: 'end', rule: 2 }],
      },
      { name: 'end', tasks: [] },
    ]),
    answers: {
      page: [
        failing,
        httpOk({ page: 1, items: [1], more: true }),
        httpOk({ page: 2, items: [2], more: true }),
        httpOk({ page: 3, items: [3] }),
      ],
      bad: failing,
    },
  },
  'case of a loop': {
    plan: plan([
      {
        name: 'start',
        loop: { in: [0, 1, 2, 3], as: 'n', parallel: 2 },
        bestEffort: true,
        tasks: [{ name: 'call', input: { n: '{{ n }}' } }],
        asides: [{ name: 'store', kind: 'postgres', input: { r: '{{ result }}', n: '{{ n }}' } }],
        sinks: ['store'],
        case: [
          { when: "event.name == 'call.done' and n == 1", actions: [{ do: 'skip', reason: 'odd' }] },
          { when: "event.name == 'call.done' and n == 3", actions: [{ do: 'fail' }] },
          {
            when: "event.name == 'call.error'",
            readsFailure: true,
            actions: [{ do: 'set', set: { 'iter.failed': true } }],
          },
          {
            when: "event.name == 'step.exit'",
            actions: [
              { do: 'collect', from: '{{ n }}', into: 'ctx.all', mode: 'push' },
              { do: 'next', arcs: [0] },
            ],
          },
          { when: "event.name == 'loop.done'", actions: [{ do: 'result', value: 'never' }] },
        ],
        next: [{ step: 'early', rule: 3, args: { all: '{{ ctx.all }}', stats: '{{ result }}' } }],
      },
      {
        name: 'early',
        loop: { in: [0, 1, 2], as: 'n', parallel: 3 },
        tasks: [{ name: 'race' }],
        case: [
          { when: "event.name == 'call.done' and n == 0", actions: [{ do: 'next', arcs: [0] }] },
          {
            when: "event.name == 'loop.done'",
            actions: [{ do: 'result', value: { replaced: '{{ response.count }}' } }],
          },
        ],
        next: [{ step: 'boundary', rule: 0 }],
      },
      {
        name: 'boundary',
        loop: { in: [0], as: 'n' },
        tasks: [{ name: 'bad' }],
        case: [
          {
            when: "event.name == 'step.enter' and ctx.all | length > 9",
            onEnter: true,
            actions: [{ do: 'next', arcs: [0] }],
          },
          {
            when: "event.name == 'step.failed'",
            readsFailure: true,
            actions: [
              { do: 'log', message: '{{ response }}' },
              { do: 'next', arcs: [0] },
            ],
          },
        ],
        next: [{ step: 'entered', rule: 1 }],
      },
      {
        name: 'entered',
        tasks: [{ name: 'never' }],
        case: [{ when: "event.name == 'step.enter'", onEnter: true, actions: [{ do: 'next', arcs: [0] }] }],
        next: [{ step: 'broken', rule: 0 }],
      },
      { name: 'broken', tasks: [{ name: 'fine' }], case: [{ when: '1 / 0', actions: [] }] },
    ]),
    answers: { call: [ok(0), ok(1), failing, ok(3)], bad: failing },
  },
  'retry and sinks': {
    plan: plan([
      {
        name: 'start',
        tasks: [
          {
            name: 'pages',
            kind: 'http',
            config: { url: 'http://x', params: { page: 1 } },
            timeout: 30,
            retry: [
              {
                when: 'error is defined and status_code in [429, 503]',
                attempts: 3,
                delay: 2,
                multiplier: 3,
                maxDelay: 5,
                actions: [{ do: 'log', message: '{{ error }} {{ attempt }}/{{ max_attempts }}' }],
              },
              {
                when: 'data.more',
                attempts: 9,
                overrides: {
                  config: { params: { page: '{{ data.page + 1 }}' } },
                  input: { after: '{{ data.page }}' },
                },
                actions: [
                  {
                    do: 'collect',
                    from: '{{ data.items }}',
                    into: 'iter.items',
                    mode: 'concat',
                    isResult: true,
                  },
                  { do: 'sink', task: 'keep' },
                  { do: 'set', set: { 'ctx.pages': '{{ _retry.count }}' } },
                ],
              },
            ],
            sinks: ['keep', 'fails'],
          },
        ],
        asides: [
          {
            name: 'keep',
            kind: 'postgres',
            input: { rows: '{{ result }}' },
            retry: [{ attempts: 2, delay: 1 }],
            sinks: ['fails'],
          },
          { name: 'fails', kind: 'noop', when: 'false' },
        ],
        next: [{ step: 'exhausts', args: { got: '{{ start }}' } }],
      },
      {
        name: 'exhausts',
        tasks: [
          {
            name: 'never_right',
            retry: [
              {
                retryWhen: 'result.n == 0',
                stopWhen: 'attempt > 5',
                attempts: 2,
                backoff: 'linear',
                delay: 1,
              },
            ],
          },
        ],
        next: [{ step: 'sinks', handlesFailure: true, when: "error.code == 'RETRY_EXHAUSTED'" }],
      },
      {
        name: 'sinks',
        tasks: [{ name: 'call' }],
        asides: [{ name: 'bad', kind: 'postgres' }],
        sinks: ['bad'],
        next: [{ step: 'numbers', handlesFailure: true, when: 'error is defined' }],
      },
      {
        name: 'numbers',
        tasks: [{ name: 'odd', retry: [{ attempts: 'soon' }] }],
        next: [{ step: 'end', handlesFailure: true, when: "error.code == 'RETRY_NUMBER'" }],
      },
      { name: 'end', tasks: [{ name: 'last', retry: [{ attempts: 2, delay: 0 }] }] },
    ]),
    answers: {
      pages: [failing, failing, httpOk({ page: 1, items: [1], more: true }), httpOk({ page: 2, items: [2] })],
      keep: [failing, ok({ rows: 1 })],
      never_right: ok({ n: 0 }),
      bad: failing,
      odd: failing,
      last: failing,
    },
  },
  'waits and events from outside': {
    plan: plan([
      {
        name: 'start',
        tasks: [
          { name: 'sleep', kind: 'wait', config: { for: 'PT1M' } },
          { name: 'past', kind: 'wait', config: { until: '2020-01-01T00:00:00Z' } },
          { name: 'early', kind: 'wait', config: { event: 'kept' } },
          {
            name: 'asked',
            kind: 'wait',
            config: { event: 'approval', timeout: 60 },
            when: 'event.payload.yes',
          },
        ],
        next: [{ step: 'late', args: { by: '{{ asked.by }}' } }],
      },
      {
        name: 'late',
        tasks: [{ name: 'times_out', kind: 'wait', config: { event: 'never', timeout: 5 } }],
        next: [{ step: 'in_time', handlesFailure: true, when: "error.code == 'WAIT_TIMEOUT'" }],
      },
      {
        name: 'in_time',
        timeout: 50,
        tasks: [{ name: 'short', kind: 'wait', config: { for: 20 } }],
        next: [{ step: 'limited' }],
      },
      {
        name: 'limited',
        timeout: 10,
        tasks: [{ name: 'too_long', kind: 'wait', config: { for: 60 } }],
        next: [{ step: 'wrong', handlesFailure: true, when: "error.code == 'STEP_TIMEOUT'" }],
      },
      { name: 'wrong', tasks: [{ name: 'both', kind: 'wait', config: { for: 1, event: 'x' } }] },
    ]),
    messages: {
      1: [external('kept', { n: 1 }, 'e1'), external('kept', { n: 1 }, 'e1'), external('other', {})],
      2: [external('approval', { yes: false }, 'e2'), external('approval', { yes: true, by: 'ann' }, 'e3')],
    },
  },
  'sub-playbooks': {
    plan: plan([
      {
        name: 'start',
        inclusive: true,
        tasks: [],
        next: [{ step: 'called' }, { step: 'let_go' }, { step: 'timed' }],
      },
      {
        name: 'called',
        loop: { in: [5], as: 'n' },
        tasks: [
          {
            name: 'child',
            kind: 'playbook',
            input: { own: 1 },
            config: { path: 'lib/child', version: '2', return_step: 'last', payload: { n: '{{ n }}' } },
          },
        ],
        next: [{ step: 'end' }],
      },
      {
        name: 'let_go',
        tasks: [{ name: 'detached', kind: 'playbook', config: { name: 'lib/other', wait: 'False' } }],
        next: [{ step: 'end' }],
      },
      {
        name: 'timed',
        tasks: [{ name: 'wrong', kind: 'playbook', config: { payload: 1 } }],
        next: [
          {
            step: 'deep',
            handlesFailure: true,
            when: "error.code == 'PLAYBOOK_FIELDS'",
            args: { e: '{{ error.message }}' },
          },
        ],
      },
      {
        name: 'deep',
        tasks: [{ name: 'fails', kind: 'playbook', config: { path: 'lib/bad', timeout: 20 } }],
        next: [{ step: 'end', handlesFailure: true }],
      },
      { name: 'end', tasks: [] },
    ]),
    answers: {
      child: ok({ out: 1 }),
      fails: { ...httpError(400), meta: { child: { execution_id: '7', path: 'lib/bad' } } },
    },
    messages: { 1: [{ type: 'paused', reason: 'audit' }], 3: [{ type: 'resumed' }] },
  },
  'pause, variables, cancel': {
    plan: plan([
      {
        name: 'start',
        tasks: [
          { name: 'a', rules: [{ when: "output.status == 'error'", do: 'retry', attempts: 3, delay: 7 }] },
          { name: 'b', input: { v: '{{ ctx.v }}' } },
        ],
        inclusive: true,
        next: [{ step: 'x' }, { step: 'y' }, { step: 'z' }],
      },
      { name: 'x', tasks: [{ name: 'work' }] },
      { name: 'y', tasks: [{ name: 'nap', kind: 'wait', config: { for: 100 } }] },
      { name: 'z', tasks: [{ name: 'kid', kind: 'playbook', config: { path: 'lib/kid' } }] },
    ]),
    answers: { a: [failing, ok(1)] },
    messages: {
      1: [
        { type: 'paused', reason: 'night' },
        { type: 'paused' },
        { type: 'variablesSet', variables: { v: 1, gone: 2 } },
        { type: 'variablesDeleted', names: ['gone', 'unknown'] },
      ],
      3: [{ type: 'resumed' }, { type: 'resumed' }],
      5: [{ type: 'cancelRequested', reason: 'stop' }, { type: 'cancelRequested' }],
    },
  },
  'failures that end the execution': {
    plan: plan(
      [
        { name: 'start', tasks: [], inclusive: true, next: [{ step: 'x' }, { step: 'y' }, { step: 'z' }] },
        { name: 'x', tasks: [{ name: 'fx' }] },
        { name: 'y', tasks: [{ name: 'fy', input: { z: broken } }] },
        { name: 'z', bestEffort: false, tasks: [{ name: 'ok' }], set: { 'ctx.z': broken } },
      ],
      { failureMode: 'best_effort' },
    ),
    answers: { fx: failing },
  },
  'a time limit stops what a step does': {
    plan: plan(
      [
        {
          name: 'start',
          timeout: 3,
          tasks: [
            {
              name: 'outer',
              loop: { in: [1, 2], as: 'n', parallel: 2 },
              body: [{ name: 'retried', rules: [{ when: 'true', do: 'retry', attempts: 9, delay: 60 }] }],
            },
          ],
          case: [
            {
              when: "event.name == 'step.failed'",
              readsFailure: true,
              actions: [
                { do: 'sink', task: 'report' },
                { do: 'next', arcs: [0] },
              ],
            },
          ],
          asides: [{ name: 'report', kind: 'http', input: { why: '{{ error.code }}' } }],
          next: [{ step: 'runs_away', rule: 0 }],
        },
        {
          name: 'runs_away',
          tasks: [{ name: 'jumps', rules: [{ do: 'jump', to: 'jumps' }] }],
          next: [{ step: 'cycle', handlesFailure: true, when: "error.code == 'RUNAWAY_TASK'" }],
        },
        { name: 'cycle', tasks: [], next: [{ step: 'cycle' }] },
      ],
      { limits },
    ),
  },
  'inputs that make no sense': {
    plan: (() => {
      const made = plan([
        {
          name: 'start',
          tasks: [{ name: 'strict', config: { url: '{{ nothing }}' } }],
          next: [{ step: 'limited', handlesFailure: true, when: 'error is defined' }],
        },
        {
          name: 'limited',
          tasks: [{ name: 'limit', timeout: 'soon' }],
          next: [{ step: 'missing', handlesFailure: true, when: 'error is defined' }],
        },
        { name: 'missing', tasks: [{ name: 'unknown', kind: 'fax' }] },
      ]);
      const [start, limited, missing] = made.steps as [Plan['steps'][0], Plan['steps'][0], Plan['steps'][0]];
      return {
        ...made,
        steps: [
          { ...start, tasks: [{ ...start.tasks[0]!, strict: ['url'] }] },
          limited,
          {
            ...missing,
            deadline: { const: 0 },
            tasks: [{ ...missing.tasks[0]!, unavailable: true as const, at }],
          },
        ],
      };
    })(),
  },
};

it.each(Object.keys(SCENARIOS))('%s', (name) => {
  expectTrace(name.replaceAll(/\W+/g, '-'), trace(SCENARIOS[name]!));
});
