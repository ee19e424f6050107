import { type Plan } from '../../language/plan/plan';
import { readArguments, workflowArguments } from './arguments';
import { inlineLimitOf } from './inline';

const plan = { steps: [] } as unknown as Plan;

test.each([
  [{ payload: { a: 1 }, plan }, [{ a: 1 }, plan]],
  [{ plan }, [{}, plan]],
  [{ payload: { a: 1 }, plan, secrets: { s: 1 }, state: undefined }, [{ a: 1 }, plan, { secrets: { s: 1 } }]],
  [{ payload: {}, call: { path: 'x' } }, [{}, null, { call: { path: 'x' } }]],
])('%j is written, and read', (input, args) => {
  const written = workflowArguments(input as { plan?: Plan }) as Record<string, unknown>[];
  const wire = JSON.parse(JSON.stringify(written)) as unknown[];
  expect(wire).toEqual(args);
  expect(readArguments('a/b', wire)).toEqual({
    payload: {},
    ...(JSON.parse(JSON.stringify(input)) as object),
  });
});

test('what a person writes: a payload or nothing, and of type `playbook` a plan', () => {
  expect(readArguments('a/b', [])).toEqual({ payload: {} });
  expect(readArguments('a/b', [null])).toEqual({ payload: {} });
  expect(readArguments('a/b', [{ plan: 'of a week' }])).toEqual({ payload: { plan: 'of a week' } });
  expect(readArguments('playbook', [plan])).toEqual({ payload: {}, plan });
  expect(readArguments('playbook', [{ a: 1 }, plan])).toEqual({ payload: { a: 1 }, plan });
});

test('each leaves history from the size that the plan says', () => {
  const args = workflowArguments({ payload: { a: 1 }, plan, ...{ state: {} } }, 2048);
  expect(args.map(inlineLimitOf)).toEqual([2048, 2048, 2048]);
});
