/** Values as deep as a template may make them, and what the engine puts around them. */
import { type Json } from '../../../language/plan';
import { playbookOf, planOf } from '../../../../test/support/simulator';
import { simulatePlan } from '../../../offline/drive';

const nested = (levels: number): Json => {
  let value: Json = 1;
  for (let n = 1; n < levels; n++) value = [value];
  return value;
};

const EACH = playbookOf(`
- step: start
  loop: {in: "{{ workload.x }}", iterator: i}
  tool: {kind: noop, input: {n: "{{ iter.i }}"}}`);

test.each([199, 200, 201, 202])('the result of a loop over a value %i levels deep is told', (levels) => {
  const x = nested(levels);
  const run = simulatePlan(planOf(EACH), { answer: () => undefined }, { payload: { x } });
  expect(run.end).toBe('complete');
  expect(JSON.stringify(run.result)).toContain('[1]');
});

test.each([210, 280, 1000])('one that is %i deep fails the execution, and stops nothing else', (levels) => {
  const run = simulatePlan(planOf(EACH), { answer: () => undefined }, { payload: { x: nested(levels) } });
  expect(run).toMatchObject({ end: 'fail', error: { code: expect.any(String) as string } });
});
