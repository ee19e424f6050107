/** Loops of steps and inside of pipelines. */
import { ok } from '../simulator';
import { type Scenario } from '../trace';
import { failing, plan } from './plan';

export const LOOPS: Readonly<Record<string, Scenario>> = {
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
};
