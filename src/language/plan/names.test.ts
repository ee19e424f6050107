import { taskQueue } from './names';

test.each([
  ['http', undefined, 'noetl-http'],
  ['http', '', 'noetl-http'],
  ['http', 'gpu', 'noetl-gpu-http'],
  ['http', 'default', 'noetl-http'],
  ['keychain', undefined, 'noetl-secrets'],
])('the queue of %s in the pool %p is %s', (kind, pool, queue) => {
  expect(taskQueue(kind, pool)).toBe(queue);
});
