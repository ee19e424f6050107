/** What comes from outside: events, the ends of sub-playbooks, commands. */
import { httpError, ok } from '../simulator';
import { type Scenario } from '../trace';
import { external, failing, plan } from './plan';

export const OUTSIDE: Readonly<Record<string, Scenario>> = {
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
};
