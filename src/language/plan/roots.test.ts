import { FORBIDDEN_NAMES, ROOTS, ROOTS_AT, whereInScope } from './roots';

test('the names that no step, task or iterator may have are a closed list', () => {
  expect([...FORBIDDEN_NAMES].sort()).toEqual(
    [
      ...[
        'workload',
        'ctx',
        'vars',
        'iter',
        'event',
        'keychain',
        'token',
        'execution_id',
        'job',
        'loop',
        'this',
      ],
      ...['input', 'args', '_prev', '_task', '_attempt', '_retry', 'loop_index', 'step'],
    ].sort(),
  );
});

test.each([
  ['error', 'task', false],
  ['error', 'outcome', true],
  ['error', 'arc', true],
  ['page', 'task', false],
  ['page', 'retrySink', true],
  ['result', 'arc', false],
  ['result', 'route', true],
  ['ctx', 'start', true],
  ['args', 'start', false],
] as const)('%s, at %s: %p', (root, kind, expected) => {
  expect(ROOTS_AT[kind].has(root)).toBe(expected);
});

test('every root is said to be somewhere', () => {
  for (const root of ROOTS) expect(whereInScope(root)).toMatch(/^(everywhere|in |at )/);
});
