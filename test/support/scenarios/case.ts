/** Rules of `case`, on a call and on the iterations of a loop. */
import { httpOk, ok } from '../simulator';
import { type Scenario } from '../trace';
import { failing, plan } from './plan';

export const CASE: Readonly<Record<string, Scenario>> = {
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
          { when: "event.name == 'loop.done'", actions: [{ do: 'result', value: 'of the end' }] },
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
        case: [{ when: "event.name == 'step.enter'", actions: [{ do: 'next', arcs: [0] }] }],
        next: [{ step: 'broken', rule: 0 }],
      },
      { name: 'broken', tasks: [{ name: 'fine' }], case: [{ when: '1 / 0', actions: [] }] },
    ]),
    answers: { call: [ok(0), ok(1), failing, ok(3)], bad: failing },
  },
};
