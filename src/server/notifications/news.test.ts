import { type CanonicalEvent } from '../../history';
import { addressed, details, headline, type Message } from './message';
import { newsIn } from './news';

const event = (event_type: string, more: object = {}): CanonicalEvent =>
  ({
    event_type,
    event_id: '7/0/9/0',
    timestamp: '2026-01-02T03:04:05.678Z',
    status: 'in_progress',
    payload: {},
    ...more,
  }) as unknown as CanonicalEvent;

const wait = event('task.started', {
  entity_id: 'approval_task',
  step_run_id: 'approval#2',
  task_run_id: 'approval#2~1@1',
  payload: { kind: 'wait', wait: { event: 'approved', until: '2026-01-02T05:04:05Z' } },
});

test('an end is news: completed, failed or cancelled, with the step and the error', () => {
  const error = { code: 'HTTP_503', message: 'busy', step: 'load', task: 'fetch', at: { line: 3 } };
  expect(newsIn([event('workflow.finished', { status: 'error', payload: { error } })])).toEqual([
    {
      cause: 'failed',
      subject: '',
      at: '2026-01-02T03:04:05.678Z',
      about: {
        status: 'failed',
        step: 'load',
        task: 'fetch',
        error: { code: 'HTTP_503', message: 'busy', at: { line: 3 } },
      },
    },
  ]);
  expect(newsIn([event('workflow.finished', { status: 'success' })])).toMatchObject([
    { cause: 'completed', about: { status: 'completed' } },
  ]);
  const cancelled = event('workflow.finished', { status: 'cancelled', payload: { reason: 'enough' } });
  expect(newsIn([cancelled])).toMatchObject([
    { cause: 'cancelled', about: { error: { message: 'enough' } } },
  ]);
});

test('an end after a reset is told apart from the end before it', () => {
  const [before] = newsIn([event('workflow.finished', { status: 'error', event_id: '7/0/9/0' })]);
  const [after] = newsIn([event('workflow.finished', { status: 'error', event_id: '7/0~1f0c9a2b/9/0' })]);
  expect([before!.subject, after!.subject]).toEqual(['', '1f0c9a2b']);
});

test('a wait for an event is news; a sleep, another task, and a wait that is over are not', () => {
  const sleep = event('task.started', { task_run_id: 's', payload: { kind: 'wait', wait: { until: 'x' } } });
  const call = event('task.started', { task_run_id: 'c', payload: { kind: 'http' } });
  expect(newsIn([sleep, call, wait])).toMatchObject([
    {
      cause: 'waiting',
      subject: 'approval#2~1@1',
      about: { step: 'approval', waiting_for: { event: 'approved', until: '2026-01-02T05:04:05Z' } },
    },
  ]);
  expect(newsIn([wait, event('task.done', { task_run_id: wait.task_run_id })])).toEqual([]);
});

test('people read one line, and the details below it', () => {
  const told: Message = {
    type: 'schedule.late',
    timestamp: '2026-01-02T03:10:00.000Z',
    data: {
      cause: 'late',
      namespace: 'default',
      path: 'etl/load',
      status: 'not_started',
      schedule: { name: 'nightly', scheduled_at: '2026-01-02T03:00:00.000Z' },
    },
  };
  expect(headline(told)).toBe('Schedule nightly has not started etl/load');
  expect(details(told)).toEqual([
    'Schedule: nightly, due 2026-01-02 03:00:00 UTC',
    'Noticed: 2026-01-02 03:10:00 UTC',
  ]);
});

describe('a wait with a form', () => {
  const asks = event('task.started', {
    entity_id: 'ask_task',
    step_run_id: 'ask#1',
    task_run_id: 'ask#1~1@1',
    payload: {
      kind: 'wait',
      wait: { event: 'asked', form: { title: 'Pay?', text: 'Ten EUR', who: { link: 60 } } },
    },
  });
  const [one] = newsIn([asks]);
  const message: Message = {
    type: 'execution.waiting',
    timestamp: 'x',
    data: { cause: 'waiting', execution_id: '7', namespace: 'n', path: 'p', ...one!.about },
    asks: one!.asks,
  };
  const services = {
    url: 'https://n.example.com',
    answerPath: (about: object) => `/answer/${JSON.stringify(about)}`,
  };

  test('is told with its question, and each receiver has a link of its own', () => {
    expect(one).toMatchObject({
      about: { waiting_for: { event: 'asked', title: 'Pay?', text: 'Ten EUR' } },
      asks: { task_run_id: 'ask#1~1@1', link: 60 },
    });
    const sent = addressed(message, { smtp: 's', email: ['a@b.c', 'd@e.f'] }, services);
    expect(sent).not.toHaveProperty('asks');
    expect(sent.data.links!.answer).toContain('"to":"email a@b.c,d@e.f"');
    expect(details(sent).slice(0, 3)).toEqual(['Pay?', 'Ten EUR', `Answer: ${sent.data.links!.answer}`]);
    const hook = addressed(message, { webhook: 'https://h.example.com/secret-path' }, services);
    expect(hook.data.links!.answer).toContain('"to":"webhook h.example.com"');
  });

  test('a playbook gets no link, nor does anybody of a form without links, or without an address or keys', () => {
    for (const sent of [
      addressed(message, { playbook: 'p' }, services),
      addressed({ ...message, asks: undefined }, { chat: 'c' }, services),
      addressed(message, { chat: 'c' }, { answerPath: services.answerPath }),
      addressed(message, { chat: 'c' }, { url: services.url }),
    ])
      expect(JSON.stringify(sent)).not.toMatch(/answer|asks/);
  });
});
