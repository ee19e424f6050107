/** What flows between steps, and what rules make of a task. */
import { httpError, ok } from '../simulator';
import { type Scenario } from '../trace';
import { failing, plan } from './plan';

export const FLOW: Readonly<Record<string, Scenario>> = {
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
};
