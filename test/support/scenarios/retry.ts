/** Policies of `retry` with pages and sinks. */
import { httpOk, ok } from '../simulator';
import { type Scenario } from '../trace';
import { failing, plan } from './plan';

export const RETRY: Readonly<Record<string, Scenario>> = {
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
};
