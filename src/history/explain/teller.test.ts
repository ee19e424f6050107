/** What is told of simulated runs. */
import { httpError, httpOk, planOf, playbookOf } from '../../../test/support/simulator';
import { type Applied, type InputBatch } from '../../engine/machine';
import { type Outcome, type TaskCall } from '../../language/plan';
import { simulatePlan, type SimulateOptions } from '../../offline/drive';
import { type CanonicalEvent } from '../events';
import { KeptDecisions } from './kept';
import { observe, type Observation } from './operands';
import { Teller } from './teller';

function told(
  workflow: string,
  answer: (call: TaskCall) => Outcome,
  options: SimulateOptions = {},
): string[] {
  const plan = planOf(playbookOf(workflow));
  const kept = new KeptDecisions({});
  const teller = new Teller(plan, () => undefined, kept);
  let seq = 0;
  let observed: Observation[] = [];
  simulatePlan(
    plan,
    { answer: (call) => ({ outcome: answer(call), after: 10 }) },
    {
      ...options,
      observer: {
        guard: (guard, isTrue, scope) => observed.push(observe(guard, isTrue, scope)),
        applied: ({ at }: InputBatch, { events }: Applied) => {
          for (const event of events)
            teller.tell(
              {
                ...event,
                seq: ++seq,
                timestamp: new Date(at).toISOString(),
                meta: {},
              } as unknown as CanonicalEvent,
              observed,
            );
          observed = [];
        },
      },
    },
  );
  return kept.decisions.flatMap(({ summary, considered }) => [
    summary,
    ...considered.map(({ what, verdict }) => `  ${what}: ${verdict}`),
  ]);
}

test('an arc that a rule of case chose is in the headline', () => {
  const lines = told(
    `
- step: start
  tool: {kind: http, url: "http://x"}
  case:
    - {when: "{{ response.found }}", then: {next: {step: found}}}
    - {else: {then: {next: {step: lost}}}}
- step: found
  tool: {kind: noop}
- step: lost
  tool: {kind: noop}`,
    () => httpOk({ found: true }),
  );
  expect(lines.find((line) => line.startsWith('after start#1'))).toMatch(/^after start#1: → found \(/);
});

test('why pages end, what was written, over what a loop ran and of which iteration a line is', () => {
  const lines = told(
    `
- step: start
  loop: {in: "{{ [7] }}", iterator: item}
  tool: {kind: http, url: "http://x", params: {page: 1}}
  retry:
    - when: "{{ response.more }}"
      then: {max_attempts: 5, next_call: {params: {page: "{{ response.page + 1 }}"}}}
  set: {ctx.seen: 1}`,
    ({ config }) => httpOk({ more: (config['params'] as { page: number }).page < 2, page: 1 }),
  );
  expect(lines).toEqual(
    expect.arrayContaining([
      'loop start#1 runs over 1 item of {{ [7] }}, sequential',
      expect.stringMatching(/^task start#1\[0\]\S+ succeeded; no rule matched → continue$/),
      expect.stringMatching(/^ {2}rule 1 → .*: is false$/),
      expect.stringMatching(/^written, by start#1: ctx\.seen = 1$/),
    ]),
  );
});

test('a wait is short, attempts are exhausted, an event is taken', () => {
  const lines = told(
    `
- step: start
  tool:
    - {name: get, kind: http, url: "http://x", spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 2, delay: 0.15000000000000002}}]}}}
  next: {arcs: [{step: wait, when: "{{ event.name == 'step.failed' }}"}]}
- step: wait
  tool: {kind: wait, event: go}`,
    () => httpError(503),
    { messages: [{ after: 9_000, input: { type: 'externalEvent', name: 'go', payload: {} } }] },
  );
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringContaining('→ retry after 0.15 s, at most 2'),
      expect.stringContaining('2 attempts are exhausted'),
      expect.stringMatching(/^event go was taken by wait#1/),
    ]),
  );
});

test('a result that was not computed says where it comes from', () => {
  const cached = { execution_id: '7', task_run_id: 'a#1.b~1@1', created_at: '2026-01-01T00:00:00Z' };
  const lines = told(`\n- step: start\n  tool: {kind: http, url: "http://x"}`, () => ({
    ...httpOk(1),
    meta: { cached },
  }));
  expect(lines).toContain(
    'task start#1~1@1 was not called: the result of a#1.b~1@1 of execution 7 is reused, made at 2026-01-01T00:00:00Z',
  );
});

test('the guard that refused an event is named, with its values', () => {
  const lines = told(
    `
- step: start
  tool: {kind: wait, event: paid, when: "{{ event.payload.amount > 10 }}"}`,
    () => httpOk(1),
    {
      messages: [5, 20].map((amount) => ({
        after: amount * 1_000,
        input: { type: 'externalEvent', name: 'paid', payload: { amount } },
      })),
    },
  );
  expect(lines.filter((line) => /event paid|start\//.test(line))).toEqual([
    'event paid was taken by no wait, and is kept: the `when` of start/start_task is false',
    '  start/start_task: is false',
    expect.stringMatching(/^event paid was taken by start#1/),
    '  start/start_task: holds',
  ]);
});
