import fc from 'fast-check';
import { recordSimulation } from '../../../test/support/recorded-simulation';
import { judgeMutants, judgeRewrites } from '../../../test/support/judge-mutants';
import { recordedExamples } from '../../../test/support/recorded-examples';
import { httpError, httpOk, planOf, playbookOf } from '../../../test/support/simulator';
import { cases } from '../../../test/support/properties';
import { answer as answerOf, plans } from '../../../test/support/random-plans';
import { type Plan, type TaskCall } from '../../language/plan';
import {
  addVerificationTally,
  coveredBy,
  emptyVerificationTally,
  type Recording,
  tally,
  verdictOn,
  verificationOf,
} from '.';
import { compareWith, decideAnew } from './decide-anew';

const rescuing = (guard: string, size = 5): Plan =>
  planOf(
    playbookOf(`
- step: start
  tool: {kind: http, url: "http://x/{{ workload.n | default(1) }}"}
  next: {arcs: [{step: big, when: "{{ start.data > ${size} }}"}, {step: rescue, when: "{{ ${guard} }}"}, {step: small}]}
- step: big
  tool: {kind: noop}
- step: rescue
  tool: {kind: noop}
- step: small
  tool: {kind: noop}`),
  );

const FAILED = "event.name == 'step.failed'";

function run(plan: Plan, data: number | null): Recording {
  const answer = () => ({ outcome: data === null ? httpError(500) : httpOk(data), after: 10 });
  return recordSimulation(plan, { answer }).recording;
}

test('executions are counted by verdict and grouped by cause, with an example each', () => {
  const [old, now] = [rescuing(FAILED), rescuing(FAILED, 3)];
  const [one, two] = [emptyVerificationTally(), emptyVerificationTally()];
  for (const data of [1, 4, 9]) tally(one, `run ${data}`, verdictOn(run(old, data), now, old));
  for (const data of [4, null]) tally(two, `run ${data}`, verdictOn(run(old, data), now, old));
  addVerificationTally(one, two);
  const found = verificationOf(one, old, now);
  expect(found).toMatchObject({
    executions: 5,
    ok: false,
    counts: { same: 3, decision: 2, call: 0, result: 0, timing: 0, unanswerable: 0 },
    changed: [{ step: 'start', untouched: [] }],
  });
  expect(found.groups).toEqual([
    {
      kind: 'decision',
      cause: 'after step start: to big instead of small',
      count: 2,
      example: {
        name: 'run 4',
        execution_id: '123456789012345678',
        finding: expect.objectContaining({
          what: 'route start#1',
          path: '0',
          recorded: 'small',
          now: 'big',
          recorded_at: { file: 'test.yaml', line: 9, column: expect.any(Number) as number },
        }) as object,
      },
    },
  ]);
});

test('what a changed step does that no execution touched is told', () => {
  const [old, now] = [rescuing(FAILED), rescuing(`${FAILED} and error.status == 500`)];
  const sum = emptyVerificationTally();
  tally(sum, 'one', verdictOn(run(old, 9), now, old));
  expect(verificationOf(sum, old, now)).toMatchObject({
    ok: true,
    changed: [{ step: 'start', untouched: ['failure start/start_task', 'arc start[1]', 'arc start[2]'] }],
  });
});

test('the old version is the measure, also for executions of another one', () => {
  const [before, old] = [rescuing(FAILED, 100), rescuing(FAILED)];
  expect(verdictOn(run(before, 9), old, old)).toMatchObject({ kind: 'same' });
  expect(verdictOn(run(before, 9), old)).toMatchObject({ kind: 'decision' });
  expect(verdictOn(run(before, 9), before, old)).toMatchObject({ kind: 'decision' });
});

test('coverage counts steps, arcs, rules and error paths', () => {
  const plan = rescuing(FAILED);
  const { touches } = verdictOn(run(plan, null), plan);
  expect(coveredBy(plan, touches, 1)).toMatchObject({
    runs: 1,
    totals: {
      step: { touched: 2, all: 4 },
      arc: { touched: 1, all: 3 },
      failure: { touched: 1, all: 1 },
      error_path: { touched: 2, all: 2 },
    },
  });
});

describe('the examples', () => {
  const examples = recordedExamples(['.']);

  test('their rehearsals, recorded, are the same when decided anew', () => {
    for (const { plan, recordings } of examples)
      for (const recording of recordings) expect(verdictOn(recording, plan)).toMatchObject({ kind: 'same' });
  });

  test('mutants that recordings touch are flagged', () => {
    const { touched, missed } = judgeMutants(25, 3, examples);
    expect(touched).toBe(25);
    expect(missed).toEqual([]);
  });

  test('rewrites that keep the meaning are the same', () => {
    expect(judgeRewrites(25, 3, examples)).toEqual({ count: 25, alarms: [] });
  });
});

test('any plan decides in its own recording what was recorded, at the same moments', () => {
  fc.assert(
    fc.property(plans(), fc.array(fc.nat(5000), { minLength: 40, maxLength: 40 }), (plan, times) => {
      let count = 0;
      const world = {
        answer: (call: TaskCall) => ({ outcome: answerOf(call), after: times[count++ % times.length]! }),
      };
      const { recording } = recordSimulation(plan, world, { maxBatches: 2000 });
      const anew = decideAnew(recording, plan);
      expect(compareWith(recording, anew)).toEqual({ differences: [] });
    }),
    cases(20),
  );
});
