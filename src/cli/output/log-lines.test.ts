import { type CanonicalEvent } from '../../history';
import { logLines } from './log-lines';

const event = (outcome: object, event_type = 'task.done'): CanonicalEvent =>
  ({
    event_type,
    timestamp: '2026-01-01T00:00:00.000Z',
    task_run_id: 'load#1[2].fetch~1@1',
    attempt: 1,
    iteration: 2,
    payload: { outcome },
  }) as unknown as CanonicalEvent;
const said = (one: CanonicalEvent): string[] => logLines(one).map(({ stream, line }) => `${stream} ${line}`);

test('tells the lines of shell and python tasks by stream, and errors', () => {
  expect(logLines(event({ result: { stdout: 'a\n' } }))).toEqual([
    {
      at: '2026-01-01T00:00:00.000Z',
      step: 'load',
      task: 'fetch',
      task_run_id: 'load#1[2].fetch~1@1',
      attempt: 1,
      iteration: 2,
      stream: 'stdout',
      line: 'a',
    },
  ]);
  expect(said(event({ result: { stdout: 'a\n\nb\r\n', stderr: 'c' } }))).toEqual([
    'stdout a',
    'stdout ',
    'stdout b',
    'stderr c',
  ]);
  expect(
    said(event({ result: { stdout: 'of the result' }, py: { stdout: 'printed\n', stderr: '' } })),
  ).toEqual(['stdout printed']);
  const error = { code: 'EXIT_3', message: 'exit code 3' };
  expect(said(event({ result: null, error }, 'task.failed'))).toEqual(['error EXIT_3: exit code 3']);
});

test('says nothing of other events, nor of what wrote nothing', () => {
  expect(logLines(event({ result: { stdout: '' } }))).toEqual([]);
  expect(logLines(event({ result: { stdout: 'a' } }, 'task.started'))).toEqual([]);
  expect(logLines(event({ result: [1] }))).toEqual([]);
});
