import { type Progress } from '../../engine/machine/control/progress';
import { changes, progressBlock, progressSummary } from './progress-lines';
import { cut } from './progress-display';

const NOW = 1_000_000;
const OF = { id: '7' };

function progress(over: Partial<Progress> = {}): Progress {
  return { status: 'running', steps_executed: [], live: [], tasks_run: 0, retries: 0, ...over };
}

function block(over: Partial<Progress>): string[] {
  return progressBlock({ progress: progress(over), elapsed: 8_200, now: NOW, tick: 0 }, false);
}

const loop = (done: number, failed = 0) => ({ done, total: 40, failed, in_flight: 3 });

describe('what waits for a limit', () => {
  const queued = { scope: 's', key: 'acme', limit: 1, since: 5, until: null, holders: ['7', '8'], ahead: 1 };

  test('says for whom', () => {
    const of = { ...queued, of: 'concurrency' } as const;
    expect(block({ queued: of })[0]).toBe('  · queued for the key acme, held by 7, 8, with 1 before it');
    const after = progress({ queued: of });
    expect(changes(progress(), after, OF)).toEqual([
      'queued for the key acme, held by 7, 8, with 1 before it',
    ]);
    expect(changes(after, after, OF)).toEqual([]);
  });

  test('says until when it may be replaced', () => {
    const of = { ...queued, of: 'debounce', key: '', holders: [], ahead: 0, until: NOW + 4000 } as const;
    expect(block({ queued: { ...of, holders: [] } })[0]).toBe(
      '  · waits to see whether a newer execution for the playbook replaces it; begins in 4.0 s',
    );
  });
});

test('without a terminal, a wait for an event is told once, with the command that answers it', () => {
  const waits = progress({
    live: [{ step: 'approval', run: 1, state: 'running', wait: { event: 'approved' } }],
  });
  expect(changes(undefined, waits, OF)).toEqual([
    'approval: started',
    'approval: waits for event approved (answer it: noetl-temporal event 7 approved)',
  ]);
  expect(changes(waits, waits, OF)).toEqual([]);
  const [, there] = changes(undefined, waits, { ...OF, server: 'http://x:1' });
  expect(there).toContain('noetl-temporal event 7 approved --server http://x:1');
});

test('a wait with a form is answered by another command, which asks for its fields', () => {
  const form = { title: 'Refund?', text: '', fields: {}, who: { scope: 'run', tokens: [] } };
  const waits = progress({
    live: [{ step: 'approval', run: 1, state: 'running', wait: { event: 'approved', form } as never }],
  });
  expect(changes(undefined, waits, OF)[1]).toBe(
    'approval: waits for event approved (answer it: noetl-temporal answer 7)',
  );
});

test('a rerun tells nothing of the steps whose results it keeps', () => {
  const first = progress({
    steps_executed: ['fetch', 'load'],
    live: [{ step: 'load', run: 1, state: 'running' }],
  });
  expect(changes(undefined, first, { ...OF, isRerun: true })).toEqual(['load: started']);
  expect(changes(undefined, first, OF)).toEqual(['fetch: ended', 'load: started']);
  const next = progress({ steps_executed: ['fetch', 'load', 'tell'] });
  expect(changes(first, next, { ...OF, isRerun: true })).toEqual(['load: ended', 'tell: ended']);
});

describe('the block on a terminal', () => {
  test('a loop shows its way, what is in flight and what failed', () => {
    const [line] = block({
      live: [{ step: 'fetch', run: 1, task: 'get', state: 'running', loop: loop(20, 2) }],
    });
    expect(line).toBe('  ⠋ fetch  ████████░░░░░░░░ 20/40  3 in flight  2 failed  get');
  });

  test('a retry shows its attempt and the time left', () => {
    const [line] = block({
      live: [
        {
          step: 'fetch',
          run: 2,
          task: 'get',
          iteration: 7,
          attempt: 3,
          state: 'retrying',
          retry_at: NOW + 4_000,
        },
      ],
    });
    expect(line).toBe('  · fetch#2  get[7]  attempt 3 in 4.0 s');
  });

  test('a sink stands behind the task whose call it stores', () => {
    const sink = { task: 'get', sink: 'store', state: 'running', attempt: 1 } as const;
    expect(block({ live: [{ step: 'fetch', run: 1, ...sink }] })[0]).toBe('  ⠋ fetch  get  sink store');
  });

  test('a token that waits says so', () => {
    expect(block({ live: [{ step: 'join', run: 1, state: 'waiting' }] })[0]).toBe(
      '  · join  waits for its siblings',
    );
  });

  test('many live steps are cut, and the summary stays', () => {
    const live = Array.from({ length: 30 }, (_, i) => ({ step: `s${i}`, run: 1, state: 'running' as const }));
    const lines = block({ live, tasks_run: 30 });
    expect(lines).toHaveLength(10);
    expect(lines.at(-2)).toContain('22 more');
    expect(lines.at(-1)).toBe('  0 steps · 30 tasks · 8.2 s');
  });
});

test('the summary counts in words', () => {
  const end = progress({ status: 'cancelling', steps_executed: ['a'], tasks_run: 41, retries: 1 });
  expect(progressSummary(end, 83_000)).toBe('cancelling · 1 step · 41 tasks · 1 retry · 1 min 23 s');
});

describe('lines where there is no terminal', () => {
  test('a step starts and ends once, also when it was never seen live', () => {
    const first = progress({
      steps_executed: ['start', 'a'],
      live: [{ step: 'a', run: 1, state: 'running' }],
    });
    expect(changes(undefined, first, OF)).toEqual(['start: ended', 'a: started']);
    expect(changes(first, first, OF)).toEqual([]);
    const second = progress({ steps_executed: ['start', 'a', 'b'] });
    expect(changes(first, second, OF)).toEqual(['a: ended', 'b: ended']);
  });

  test('a loop speaks at every tenth of its way', () => {
    const at = (done: number): Progress =>
      progress({ steps_executed: ['a'], live: [{ step: 'a', run: 1, state: 'running', loop: loop(done) }] });
    const lines = Array.from({ length: 41 }, (_, i) => i).flatMap((i) =>
      i === 0 ? [] : changes(at(i - 1), at(i), OF),
    );
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe('a: 4/40');
  });

  test('a retry is told once an attempt', () => {
    const at = (attempt: number): Progress =>
      progress({
        steps_executed: ['a'],
        live: [{ step: 'a', run: 1, task: 't', attempt, state: 'retrying' }],
      });
    expect(changes(at(2), at(2), OF)).toEqual([]);
    expect(changes(at(2), at(3), OF)).toEqual(['a: t waits for attempt 3']);
  });
});

test('a line is cut by what is seen of it, not by its colour codes', () => {
  expect(cut('\u001b[36mabc\u001b[39mdef', 4)).toBe('\u001b[36mabc\u001b[39md');
});
