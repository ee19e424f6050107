import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { completed, failedOrCancelled } from './ending';

const ended = (cause: Error): WorkflowFailedError =>
  new WorkflowFailedError('failed', cause, 'NON_RETRYABLE_FAILURE');

test('a completed execution gives its result', () => {
  expect(completed({ status: 'completed', result: [1], steps_executed: ['a'], notes: [] })).toEqual({
    status: 'completed',
    result: [1],
    error: null,
    steps_executed: ['a'],
    notes: [],
  });
});

test('a failed execution names step, task, iteration, attempt and line', () => {
  const error = {
    code: 'HTTP_503',
    kind: 'server_error',
    message: 'down',
    step: 's',
    task: 't',
    iteration: 0,
    attempt: 2,
    at: [4, 7],
  };
  const failure = ApplicationFailure.nonRetryable('s/t: down', 'HTTP_503', {
    error,
    steps_executed: ['s'],
    notes: [],
  });
  expect(failedOrCancelled(ended(failure), 'x.yaml')).toEqual({
    status: 'failed',
    result: null,
    steps_executed: ['s'],
    notes: [],
    error: { ...error, at: { file: 'x.yaml', line: 4, column: 7 } },
  });
});

test('a cancelled execution keeps its steps', () => {
  const end = failedOrCancelled(
    ended(new CancelledFailure('Workflow canceled', [{ steps_executed: ['a'], notes: [] }])),
    null,
  );
  expect(end).toMatchObject({
    status: 'cancelled',
    steps_executed: ['a'],
    notes: [],
    error: { code: 'CANCELLED', message: 'cancelled' },
  });
});

test('a terminated execution, and a failure that is not ours, are failures', () => {
  expect(failedOrCancelled(ended(new TerminatedFailure('by hand')), null)).toMatchObject({
    status: 'failed',
    error: { code: 'TerminatedFailure', message: 'by hand', at: null },
  });
  const other = failedOrCancelled(ended(ApplicationFailure.nonRetryable('no plan', 'PLAN_INPUT')), null);
  expect(other.error).toMatchObject({ code: 'PLAN_INPUT', message: 'no plan', step: null });
});

test('an error that is no end of a workflow is passed on', () => {
  expect(() => failedOrCancelled(new Error('connection lost'), null)).toThrow('connection lost');
});
