/** Failures that end an execution, time limits, inputs that make no sense. */
import { type Plan } from '../../../src/language/plan';
import { type Scenario } from '../trace';
import { failing, plan } from './plan';

const broken = '{{ 1 / 0 }}';
const limits = { maxLiveTokens: 100, maxStepRuns: 3, maxTaskVisits: 3, maxPayloadBytes: 262_144 };
const at = [1, 1] as const;

export const FAILURES: Readonly<Record<string, Scenario>> = {
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
