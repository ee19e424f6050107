/** A Python error points at the line of the YAML that failed. */
import { simulate } from '../../../../test/support/simulator';
import { compile } from '../compile';
import { type TaskPlan } from '../../plan';

const playbook = (code: string): string =>
  `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: lines}
workflow:
  - step: start
    tool:
      kind: python
      code: ${code}
`;
const planOf = (code: string) => compile(playbook(code)).plan!;
const placeOf = (code: string): TaskPlan['codeAt'] => planOf(code).steps[0]!.tasks[0]!.codeAt;

test.each([
  ['a block', '|\n        import math\n\n        result = 1 / 0', [9, 9]],
  ['a block that ends with empty lines', '|+\n        x = 1\n        y = 2\n\n', [9, 9]],
  ['one line', '"result = 1 / 0"', [8, 14]],
  ['a folded text', '>\n        x = 1\n\n        y = 2', undefined],
  ['escaped line ends', '"x = 1\\ny = 2"', undefined],
  ['a template', '|\n        x = {{ workload.n }}', undefined],
])('%s', (_, code, place) => {
  expect(placeOf(code)).toEqual(place);
});

test('the failure is at the line, and the column where the code begins', () => {
  const error = {
    kind: 'exception',
    code: 'PY_E',
    message: 'no (line 3 of the code)',
    retryable: false,
  } as const;
  const fail = (line?: number) =>
    simulate(planOf('|\n        import math\n\n        result = 1 / 0'), {
      mocks: { start: { status: 'error', result: null, error: { ...error, line }, meta: {} } },
    }).error!.at;
  expect(fail(3)).toEqual([11, 9]);
  expect(fail()).toEqual([7, 7]);
});
