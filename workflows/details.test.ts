import { type LiveToken, type Progress, type Queued } from '../src/engine/machine';
import { detailsOf } from './details';

function rows(live: readonly LiveToken[]): string[] {
  const progress: Progress = {
    status: 'running',
    steps_executed: ['start'],
    live: [...live],
    tasks_run: 3,
    retries: 1,
  };
  const lines = detailsOf(progress).split('\n');
  expect(lines[0]).toBe('**running** · 1 step started · 3 tasks · 1 retry');
  return lines.slice(4);
}

const one = (more: Partial<LiveToken>): string => {
  const [line] = rows([{ step: 'fetch', run: 2, state: 'running', ...more }]);
  return line!.replaceAll('\u2003', '');
};

describe('the current details', () => {
  test('name the task, the sink that stores what it gave, and the attempt', () => {
    expect(one({ task: 'get', attempt: 2 })).toBe('| fetch#2 | get (attempt 2) | running |  |');
    expect(one({ task: 'get', sink: 'store', attempt: 3 })).toBe(
      '| fetch#2 | get › sink store (attempt 3) | running |  |',
    );
    expect(one({ sink: 'store', attempt: 1 })).toBe('| fetch#2 | sink store | running |  |');
  });

  test('show how far a loop is and what is waited for', () => {
    const loop = { done: 3, failed: 1, total: 9, in_flight: 2 };
    expect(one({ task: 'get', loop })).toBe('| fetch#2 | get | running | 4 of 9, 2 in flight |');
    expect(one({ task: 'w', wait: { event: 'go' } })).toBe('| fetch#2 | w event go | running |  |');
  });

  test('say what an execution waits for before it begins', () => {
    const queued = {
      of: 'concurrency',
      scope: 's',
      key: 'a|b',
      limit: 1,
      since: 0,
      until: null,
      holders: ['7'],
    } as const;
    const base = { status: 'running', steps_executed: [], live: [], tasks_run: 0, retries: 0 } as const;
    const text = (more: Partial<Queued>): string =>
      detailsOf({
        ...base,
        steps_executed: [],
        live: [],
        queued: { ...queued, holders: ['7'], ahead: 2, ...more },
      });
    expect(text({})).toContain(
      'Queued: at most 1 execution with the key a\\|b at once. Held by 7, and 2 before it.',
    );
    expect(text({ of: 'debounce', key: '' })).toContain(
      'Waits for a newer execution, which would replace it.',
    );
  });

  test('let no name of the playbook open a cell, a link or HTML', () => {
    expect(one({ task: 'a|b', sink: '<i>[x](y)</i>' })).toBe(
      '| fetch#2 | a\\|b › sink \\<i\\>\\[x\\](y)\\</i\\> | running |  |',
    );
  });

  test('are a line alone where nothing is alive, and are cut where much is', () => {
    expect(rows([])).toEqual([]);
    const many = rows(
      Array.from({ length: 25 }, (_, run) => ({ step: 's', run, state: 'running' as const })),
    );
    expect(many).toHaveLength(22);
    expect(many.at(-1)).toBe('… and 5 more');
  });
});
