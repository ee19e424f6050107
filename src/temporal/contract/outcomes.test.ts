import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { outcomeOfFailure, outcomeOfResult } from './outcomes';

test.each([
  null,
  'done',
  7,
  [],
  {},
  { result: 1, error: { kind: 'sql' } },
  { status: 'done' },
  { status: 'error' },
  { status: 'error', error: 'x' },
])('what a worker answers and is no outcome is an error of the task: %j', (answer) => {
  const { status, error } = outcomeOfResult(answer as never);
  expect({ status, error }).toMatchObject({
    status: 'error',
    error: { kind: 'validation', code: 'OUTCOME_MALFORMED', retryable: false },
  });
  expect(error!.message).toContain(
    `the worker answered ${JSON.stringify(answer)}, expected {status: "ok", result}`,
  );
});

test('the least a worker of an extension has to say is enough', () => {
  expect(outcomeOfResult({ status: 'ok', result: 1 })).toEqual({
    status: 'ok',
    result: 1,
    error: null,
    meta: {},
  });
});

test('an answer without a status is a result whose details were not recorded', () => {
  expect(outcomeOfResult({ result: 1 })).toEqual({
    status: 'ok',
    result: 1,
    error: null,
    meta: { not_recorded: true },
  });
});

test('an answer too long to be shown is cut', () => {
  const { message } = outcomeOfResult('x'.repeat(5000) as never).error!;
  expect(message.length).toBeLessThan(400);
});

test('an exception that carries an outcome is that outcome; another is told by its type', () => {
  const outcome = {
    status: 'error',
    error: { kind: 'validation', code: 'FIT', message: 'no', retryable: false },
  };
  const thrown = (details: unknown[]) =>
    new ActivityFailure(
      'activity failed',
      'linear_fit',
      'a',
      'NON_RETRYABLE_FAILURE',
      'worker',
      ApplicationFailure.create({ message: 'no line', type: 'ValueError', details }),
    );
  expect(outcomeOfFailure(thrown([outcome])).error).toEqual(outcome.error);
  expect(outcomeOfFailure(thrown([])).error).toMatchObject({
    kind: 'exception',
    code: 'ValueError',
    message: 'no line',
  });
});
