import { failedTask, succeeded } from '../../../activities/framework/tool/outcome';
import { call } from '../../../test/support/tool-call';
import { cached, Meters } from './meters';
import { TaskMetrics } from './tasks';

test('a label has so many values, and what comes later is `other`', async () => {
  const meters = new Meters();
  const count = meters.counter({ name: 'noetl_test_total', help: 'x', labels: ['playbook'] });
  for (let n = 0; n < 300; n++) count({ playbook: `path/${n}` });
  count({ playbook: 'path/7' });
  const text = await meters.text();
  expect(text.match(/^noetl_test_total\{/gm)).toHaveLength(201);
  expect(text).toContain('noetl_test_total{playbook="other"} 100');
  expect(text).toContain('noetl_test_total{playbook="path/7"} 2');
});

test('a gauge that cannot be read is left out, and is back when it can', async () => {
  const meters = new Meters();
  let fails = false;
  const read = (): { value: number }[] => {
    if (fails) throw new Error('away');
    return [{ value: 3 }];
  };
  meters.gauge({ name: 'noetl_test', help: 'x' }, read);
  expect(await meters.text()).toMatch(/^noetl_test 3$/m);
  fails = true;
  expect(await meters.text()).not.toMatch(/^noetl_test /m);
  fails = false;
  expect(await meters.text()).toMatch(/^noetl_test 3$/m);
});

test('what is cached is asked again when it is old, and when it failed', async () => {
  let asked = 0;
  const ask = cached(50, () => (++asked === 1 ? Promise.reject(new Error('away')) : Promise.resolve(asked)));
  await expect(ask()).rejects.toThrow('away');
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2]);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await ask()).toBe(3);
});

test('tasks are counted by kind and outcome, failures by code, retries by kind', async () => {
  const meters = new Meters();
  const tasks = new TaskMetrics(meters);
  tasks.ended(call('http', {}), succeeded(1), 0.2);
  tasks.ended(
    call('http', {}, { attempt: 2 }),
    failedTask({ kind: 'server_error', code: 'X', message: '', retryable: true }),
    2,
  );
  tasks.ended(
    call('shell', {}),
    failedTask({ kind: 'cancelled', code: 'CANCELLED', message: '', retryable: false }),
    2,
  );
  tasks.waited('http', 0.3);
  tasks.linesLost(5);
  const text = await meters.text();
  for (const line of [
    'noetl_tasks_total{kind="http",outcome="ok"} 1',
    'noetl_tasks_total{kind="http",outcome="error"} 1',
    'noetl_tasks_total{kind="shell",outcome="cancelled"} 1',
    'noetl_task_failures_total{kind="http",code="X"} 1',
    'noetl_task_retries_total{kind="http"} 1',
    'noetl_task_duration_seconds_bucket{le="0.5",kind="http"} 1',
    'noetl_task_queue_wait_seconds_sum{kind="http"} 0.3',
    'noetl_log_lines_lost_total 5',
  ])
    expect(text).toContain(line);
});

test('a gauge that cannot be read in time has no value, and holds up no scrape', async () => {
  const meters = new Meters();
  meters.gauge({ name: 'noetl_slow', help: 'never read' }, () => new Promise(() => undefined));
  meters.gauge({ name: 'noetl_quick', help: 'read' }, () => [{ value: 1 }]);
  const begun = performance.now();
  const text = await meters.text();
  expect(performance.now() - begun).toBeLessThan(9_000); // a scrape may take 10 s
  expect(text).toContain('noetl_quick 1');
  expect(text).not.toMatch(/^noetl_slow \d/m);
});

test('two parts of a process that count the same count together', async () => {
  const meters = new Meters();
  const [one, other] = [1, 2].map(() => meters.counter({ name: 'noetl_shared_total', help: 'x' }));
  one!();
  other!({}, 2);
  expect(await meters.text()).toContain('noetl_shared_total 3');
});
