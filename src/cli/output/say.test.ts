import { CodedError } from '../../language/errors';
import { exitCodeOf } from '../errors';
import { errorText } from './say';

test.each([
  [new CodedError('HISTORY', 'not a history'), 2, 'error: not a history [HISTORY]'],
  [
    new CodedError('EXECUTION_OVER', 'it has ended', { hint: ['Look.'] }),
    1,
    'error: it has ended [EXECUTION_OVER]\n  → Look.',
  ],
])('what another room refuses has its code, what to do, and its exit code: %s', (error, code, text) => {
  expect([exitCodeOf(error), errorText(error, false)]).toEqual([code, text]);
});
