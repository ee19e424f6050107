import { CodedError, EnvironmentError } from '../../../language/errors';
import { executionOver, executionNotFound } from '../../../temporal/client';
import { fromOutside } from './outside';

test.each([
  [executionNotFound('noetl-42'), 404, 'EXECUTION_NOT_FOUND', 'Execution not found: 42', {}],
  [
    executionOver('noetl-42', 'failed'),
    409,
    'EXECUTION_OVER',
    'Execution 42 is over (failed)',
    { execution_id: '42', status: 'failed' },
  ],
  [
    new CodedError('WORKER_SILENT', 'nobody answered', { hint: ['Start one.'] }),
    503,
    'NO_WORKFLOW_WORKER',
    'nobody answered',
    {},
  ],
  [new CodedError('HISTORY', 'no plan'), 422, 'HISTORY', 'no plan', {}],
  [new CodedError('RERUN_STEP_UNKNOWN', 'no step x'), 422, 'RERUN_STEP_UNKNOWN', 'no step x', {}],
  [new CodedError('SCHEDULE_EXISTS', 'there is one'), 409, 'SCHEDULE_EXISTS', 'there is one', {}],
  [new EnvironmentError('INPUT_TOO_LARGE', '3 MiB'), 413, 'INPUT_TOO_LARGE', '3 MiB', {}],
  [
    new EnvironmentError('KEY_UNKNOWN', 'no key', ['Add it.']),
    503,
    'KEY_UNKNOWN',
    'no key',
    { fix: ['Add it.'] },
  ],
])('%s is an answer', (error, status, code, message, more) => {
  expect(fromOutside(error)).toMatchObject({ status, code, message, more });
});

test.each([new CodedError('LOOP_IN', 'a fault of ours'), new CodedError('toString', ''), new Error('no')])(
  'what nobody foresaw is none',
  (error) => {
    expect(fromOutside(error)).toBeUndefined();
  },
);

test.each([
  Object.assign(new Error('the database system is starting up'), { code: '57P03' }),
  Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' }),
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
  new Error('timeout exceeded when trying to connect'),
  new Error('Connection terminated unexpectedly'),
  new Error('Connection terminated due to connection timeout'),
  new Error('Client has encountered a connection error and is not queryable'),
])('a database that is away is no error of ours: %s', (error) => {
  expect(fromOutside(error)).toMatchObject({ status: 503, code: 'DATABASE_UNREACHABLE' });
});
