import { type CanonicalEvent } from '../events';
import { Loops } from './memory';

const event = (event_type: string, more: Partial<CanonicalEvent>): CanonicalEvent =>
  ({
    event_type,
    step_run_id: 'start#1',
    meta: {},
    payload: {},
    ...more,
  }) as CanonicalEvent;

it.each([
  [{ total: 5, success: 1, failed: 0, not_started: 3 }, ', 3 not started'],
  [{ total: 5, success: 5, failed: 0, not_started: 0 }, ''],
  [undefined, ''],
])('a loop that ended with %j', (stats, said) => {
  const loops = new Loops();
  loops.take(event('loop.started', { payload: { total: 5, mode: 'sequential' } }), 0);
  loops.take(event('loop.iteration.started', { iteration: 0 }), 0);
  loops.take(event('loop.iteration.done', { iteration: 0 }), 0);
  expect(loops.summary('start#1', stats)[0]).toBe(
    `5 iterations, sequential: 1 ok, 0 failed${said}, 0 retries`,
  );
});
