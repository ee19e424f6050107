/** Calls of changed code are run by an executor: what they answer decides. */
import { ok, planOf, playbookOf } from '../../../test/support/simulator';
import { recordSimulation } from '../../../test/support/recorded-simulation';
import { failedOutcomeOf, type Outcome, type TaskCall } from '../../language/plan';
import { executedAnswers } from './execute';
import { type Recording } from './recording';
import { verdictOn, type Verdict } from './verify';
import { whatIf, type WhatIf } from './what-if';

const yaml = (first: string, second = 'result = n * 2'): string =>
  playbookOf(
    `
- step: start
  tool: {kind: python, input: {n: "{{ workload.n }}"}, code: ${JSON.stringify(first)}}
  next: {arcs: [{step: twice}]}
- step: twice
  tool: {kind: python, input: {n: "{{ start }}"}, code: ${JSON.stringify(second)}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {got: "{{ twice }}"}}`,
    'workload: {n: 20}',
  );

const error = (): Outcome =>
  failedOutcomeOf({ kind: 'runtime', code: 'PY_TypeError', message: 'no', retryable: false } as never);

/** The only code that it knows: `result = n + 1`, `result = n * 2`, `result = 1 + n`, `fail`. */
function runs({ config, input }: TaskCall): Outcome {
  const n = Number(input['n']);
  const code = String(config['code']);
  if (code === 'fail') return error();
  return ok(code.includes('* 2') ? n * 2 : n + 1);
}

function recorded(text: string): Recording {
  const answer = (call: TaskCall) => ({ outcome: runs(call), after: 1000 });
  return recordSimulation(planOf(text), { answer }).recording;
}

/** With the calls that were run. */
async function anew(recording: Recording, text: string): Promise<WhatIf & { calls: string[] }> {
  const calls: string[] = [];
  const execute = (call: TaskCall): Promise<Outcome> => {
    calls.push(call.task_run_id);
    return Promise.resolve(runs(call));
  };
  const { options } = await executedAnswers(recording, planOf(text), execute);
  return { ...whatIf(recording, planOf(text), { ...options, byAnswers: true }).result, calls };
}

async function judged(recording: Recording, text: string): Promise<Verdict> {
  const execute = (call: TaskCall): Promise<Outcome> => Promise.resolve(runs(call));
  const [now, old] = [planOf(text), recording.plan];
  const executed = {
    now: (await executedAnswers(recording, now, execute)).options,
    old: (await executedAnswers(recording, old, execute)).options,
  };
  return verdictOn(recording, now, undefined, { executed });
}

test('a failed run is mended by its code; what follows is run too, each call once, in order', async () => {
  const broken = recorded(yaml('fail'));
  expect(broken.isOver).toBe(true);
  expect(await anew(broken, yaml('result = n + 1'))).toMatchObject({
    status: 'completed',
    result: { got: 42 },
    unanswered: [],
    calls: ['start#1~1@1', 'twice#1~1@1'],
  });
  expect(await judged(broken, yaml('result = n + 1'))).toMatchObject({
    kind: 'call',
    finding: {
      cause: expect.stringMatching(/call start answers otherwise \(answer\./) as string,
    },
  });
});

test('code that is only rewritten is the same, in the same time; what it answers otherwise is the difference', async () => {
  const fine = recorded(yaml('result = n + 1'));
  expect(await anew(fine, yaml('result = 1 + n'))).toMatchObject({
    verdict: 'same',
    differences: [],
    elapsed_ms: 2000,
  });
  expect(await judged(fine, yaml('result = 1 + n'))).toMatchObject({ kind: 'same' });
  expect(await judged(fine, yaml('result = n * 2'))).toMatchObject({
    kind: 'call',
    finding: { path: 'answer.result', recorded: 21, now: 40 },
  });
  expect(verdictOn(fine, planOf(yaml('result = 1 + n')))).toMatchObject({
    kind: 'call',
    finding: { path: 'config.code' },
  });
});

test('a call that is not run stays unanswered, and is asked once', async () => {
  const fine = recorded(yaml('result = n + 1'));
  let asked = 0;
  const execute = (): Promise<undefined> => {
    asked++;
    return Promise.resolve(undefined);
  };
  const { options, count } = await executedAnswers(fine, planOf(yaml('result = 1 + n')), execute);
  expect([asked, count]).toEqual([1, 0]);
  expect(whatIf(fine, planOf(yaml('result = 1 + n')), options).result.unanswered).toMatchObject([
    { why: 'changed' },
  ]);
});

test('answers that are given are taken instead, in every round anew', async () => {
  const fine = recorded(yaml('result = n + 1'));
  const text = yaml('result = 1 + n', 'result = 2 * n * 2');
  const supplied = (): NonNullable<Parameters<typeof executedAnswers>[3]>['supplied'] extends
    | (() => infer S)
    | undefined
    ? S
    : never => {
    let left = 1;
    return {
      otherwise: ({ step }: TaskCall) =>
        step === 'start' && left-- > 0 ? { outcome: ok(7), after: 0 } : undefined,
    };
  };
  const calls: string[] = [];
  const { options } = await executedAnswers(
    fine,
    planOf(text),
    (call) => {
      calls.push(call.step);
      return Promise.resolve(runs(call));
    },
    { supplied },
  );
  expect(calls).toEqual(['twice']);
  expect(whatIf(fine, planOf(text), options).result.result).toEqual({ got: 14 });
});
