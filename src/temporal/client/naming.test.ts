import { executionIdOf, newExecutionId, taskQueue, uiUrl, workflowId } from './naming';

describe('queues and ids', () => {
  test('a kind has its own queue, a pool its own queue a kind', () => {
    expect(taskQueue('http')).toBe('noetl-http');
    expect(taskQueue('python', 'gpu')).toBe('noetl-gpu-python');
  });

  test('a workflow id and its execution id lead to each other', () => {
    const id = newExecutionId();
    expect(executionIdOf(workflowId(id))).toBe(id);
    expect(executionIdOf('noetl-abc')).toBeUndefined();
    expect(executionIdOf('order-12')).toBeUndefined();
  });

  test('the UI address names namespace, workflow and run', () => {
    expect(uiUrl('http://127.0.0.1:8233/', 'default', 'noetl-7', 'r1')).toBe(
      'http://127.0.0.1:8233/namespaces/default/workflows/noetl-7/r1/history',
    );
    expect(uiUrl('http://127.0.0.1:8233', 'a/b', 'noetl-7')).toContain('/namespaces/a%2Fb/workflows/noetl-7');
  });
});

describe('execution ids', () => {
  test('are positive 63-bit decimals', () => {
    for (const now of [0, Date.now(), Date.UTC(2090, 0, 1)]) {
      const id = BigInt(newExecutionId(now, 0.999999999));
      expect(id > 0n && id < 2n ** 63n).toBe(true);
    }
  });

  test('never repeat and grow within a process, also in one millisecond and when the clock steps back', () => {
    const now = Date.UTC(2091, 0, 1);
    const ids = Array.from({ length: 20_000 }, (_, i) => BigInt(newExecutionId(now - i, 0.5)));
    expect(ids.every((id, i) => i === 0 || id > ids[i - 1]!)).toBe(true);
  });
});
