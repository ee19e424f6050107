import { childExecutionId, executionIdFor, taskRunBase, taskSummary } from './ids';

describe('the execution id behind a workflow id', () => {
  it('is the number in the id of a workflow that we started', () => {
    expect(executionIdFor('noetl-123456789012345678', 'run')).toBe('123456789012345678');
  });

  it('is drawn from the first Temporal run of any other, always the same, positive, of 63 bits', () => {
    const drawn = executionIdFor('by-hand', '0197-a');
    expect(executionIdFor('by-another-name', '0197-a')).toBe(drawn);
    expect(executionIdFor('by-hand', '0197-b')).not.toBe(drawn);
    for (const run of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      const id = BigInt(executionIdFor('by-hand', run));
      expect(id > 2n ** 32n && id < 2n ** 63n).toBe(true);
    }
  });
});

describe('the execution id of a sub-playbook', () => {
  const at = 1_800_000_000_000;

  it('depends on who calls, and grows with the time', () => {
    const id = childExecutionId(at, '1', 'a#1.x~1@1', '0');
    expect(childExecutionId(at, '1', 'a#1.x~1@1', '0')).toBe(id);
    expect(childExecutionId(at, '1', 'a#1.x~1@2', '0')).not.toBe(id);
    expect(childExecutionId(at, '2', 'a#1.x~1@1', '0')).not.toBe(id);
    expect(BigInt(childExecutionId(at + 60_000, '1', 'a#1.x~1@1', '0')) > BigInt(id)).toBe(true);
  });

  it('is above the last one given, even when the clock stands', () => {
    const id = childExecutionId(at, '1', 'a', '0');
    expect(childExecutionId(at, '1', 'a', id)).toBe((BigInt(id) + 1n).toString());
  });
});

it('a summary names the iterations, outermost first', () => {
  expect([taskSummary('s/t', []), taskSummary('s/t', [7, 3])]).toEqual(['s/t', 's/t[7][3]']);
});

it('a task stands in the id of its runs, but for the only tool of a step', () => {
  const ids = [
    ['fetch#2[7]', 'store'],
    ['fetch#2[7]', 'fetch_task'],
    ['fetch#2.inner~1@1[3]', 'fetch_task'],
    ['fetch_more#1', 'fetch_task'],
    ['fetch#1', 'fetch'],
  ].map(([frame, task]) => taskRunBase(frame!, task!, 1));
  expect(ids).toEqual([
    'fetch#2[7].store~1',
    'fetch#2[7]~1',
    'fetch#2.inner~1@1[3]~1',
    'fetch_more#1.fetch_task~1',
    'fetch#1.fetch~1',
  ]);
});
