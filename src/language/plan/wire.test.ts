import {
  isWithin,
  packCall,
  packOutcome,
  taskPlaceIn,
  unpackCall,
  unpackOutcome,
  withoutDetails,
} from './wire';
import { type Outcome, type TaskCall } from './outcome';

const identity = { activityId: 'fetch#2[7].page~3@2', activityType: 'http', workflowId: 'noetl-42' };
const call: TaskCall = {
  execution_id: '42',
  task_run_id: identity.activityId,
  step: 'fetch',
  task: 'page',
  iteration: 7,
  attempt: 2,
  kind: 'http',
  idempotency_key: '42/fetch#2[7].page~3',
  input: {},
  config: { url: 'http://x' },
  timeout: {},
  options: {},
  lean: true,
};

describe('the wire format', () => {
  it.each([
    call,
    { ...call, attempt: 1, task_run_id: 'fetch#2[7].page~3@2' },
    { ...call, input: { a: 1 }, timeout: { read: 3 }, options: { x: {} }, context: { ctx: {} } },
  ])('gives a call back whole', (one) => {
    expect(unpackCall(JSON.parse(JSON.stringify(packCall(one, 'noetl-42'))) as never, identity)).toEqual(one);
  });

  it.each([
    ['fetch#1~1@1', 'fetch', 'fetch_task'],
    ['fetch#2[7].inner~1@1[3].store~12@4', 'fetch', 'store'],
    ['a.b#2.c.d~1@1', 'a.b', 'c.d'],
  ])('names step and task of %s only where its id does not', (task_run_id, step, task) => {
    const one = {
      ...call,
      step,
      task,
      task_run_id,
      idempotency_key: `42/${task_run_id.replace(/@\d+$/, '')}`,
    };
    const wire = packCall(one, 'noetl-42');
    expect('step' in wire || 'task' in wire).toBe(step.includes('.'));
    expect(unpackCall(wire, { ...identity, activityId: task_run_id })).toEqual(one);
    expect(packCall({ ...one, kind: 'of_mine' }, 'noetl-42')).toMatchObject({ step, task });
  });

  it('says of a call only whether the details of its result are read: of most they are not', () => {
    const { lean: _, ...read } = call;
    expect(packCall(read, 'noetl-42')).toMatchObject({ details: true });
    expect(unpackCall(packCall(read, 'noetl-42'), identity)).toEqual(read);
  });

  it('keeps of a call only what id and kind do not say', () => {
    const one = { ...call, attempt: 1, timeout: { connect: 10 } };
    expect(packCall(one, 'noetl-42')).toEqual({ config: call.config });
    expect(unpackCall({ config: call.config }, identity)).toEqual(one);
    expect(packCall({ ...one, iteration: undefined, task_run_id: 'fetch#2.page~3@2' }, 'noetl-42')).toEqual({
      config: call.config,
    });
  });

  it('leaves out what nothing reads of a lean task, says so, and keeps all of a failure', () => {
    const ok: Outcome = {
      status: 'ok',
      result: { status_code: 200, headers: { etag: 'x' }, url: 'u', elapsed_ms: 1, data: { a: 1 } },
      error: null,
      meta: { attempt: 1, worker: 'w', duration_ms: 2, ref: { key: 'k' } },
      http: { status: 200, headers: { etag: 'x' } },
    };
    const lean = { kind: 'http', lean: true } as const;
    const less = withoutDetails(ok, lean);
    expect(less).toEqual({
      status: 'ok',
      result: { status_code: 200, data: { a: 1 } },
      error: null,
      meta: { ref: { key: 'k' }, not_recorded: true },
      http: { status: 200, headers: {} },
    });
    expect(unpackOutcome(JSON.parse(JSON.stringify(packOutcome(less))) as never)).toEqual(less);
    expect(packOutcome(less)).toEqual({
      result: { status_code: 200, data: { a: 1 } },
      meta: { ref: { key: 'k' } },
    });
    expect(packOutcome(ok)).toMatchObject({ status: 'ok' });
    expect(withoutDetails(ok, { kind: 'http' })).toBe(ok);
    const failed: Outcome = {
      ...ok,
      status: 'error',
      error: { kind: 'auth', code: 'X', message: 'm', retryable: false },
    };
    expect(withoutDetails(failed, lean)).toBe(failed);
    const rows: Outcome = { status: 'ok', result: { url: 'a value' }, error: null, meta: { attempt: 1 } };
    expect(withoutDetails(rows, { kind: 'python', lean: true }).result).toEqual({ url: 'a value' });
  });

  it('says the execution id only where the workflow id does not', () => {
    expect(packCall(call, 'noetl-42')).toEqual({
      attempt: 2,
      timeout: {},
      config: { url: 'http://x' },
    });
    const foreign = { ...identity, workflowId: 'by-hand' };
    expect(unpackCall(packCall(call, 'by-hand'), foreign).idempotency_key).toBe('42/fetch#2[7].page~3');
  });

  const headers = { etag: 'x' };
  const rows = [{ n: 1 }];
  const last = { status: 'success', rows, row_count: 1, columns: ['n'] };
  const first = { status: 'success', rows: [], row_count: 0, columns: [] };
  const outcomes: [string, Outcome, string][] = [
    [
      'a response',
      {
        status: 'ok',
        result: { status_code: 200, headers, url: 'u', elapsed_ms: 1, data: { a: 1 } },
        error: null,
        meta: {},
        http: { status: 200, headers },
      },
      'http',
    ],
    [
      'rows',
      {
        status: 'ok',
        result: { rows, row_count: 1, columns: ['n'], command_0: first, command_1: last },
        error: null,
        meta: {},
        pg: { code: null, sqlstate: null },
      },
      'command_1',
    ],
    [
      'a failure',
      {
        status: 'error',
        result: null,
        error: { kind: 'sql', code: 'X', message: 'm', retryable: false },
        meta: {},
        pg: { code: '23505', sqlstate: '23505' },
      },
      'nothing',
    ],
    [
      'a value that looks like rows',
      { status: 'ok', result: { rows: [1], command_0: 'x' }, error: null, meta: { duration_ms: 1 } },
      'nothing',
    ],
    [
      'a scalar',
      { status: 'ok', result: 5, error: null, meta: {}, py: { exception_type: null, stdout: 'hi' } },
      'nothing',
    ],
  ];

  it.each(outcomes)('gives %s back whole', (_, outcome, dropped) => {
    const wire = JSON.stringify(packOutcome(outcome));
    expect(unpackOutcome(JSON.parse(wire) as never)).toEqual(outcome);
    expect(wire).not.toContain(`"${dropped}":`);
  });
});

it('what an id belongs to, and what it says', () => {
  const whole = [
    'fetch#2',
    'fetch#2[7]',
    'fetch#2[7].inner~1',
    'fetch#2[7].inner~1@1',
    'fetch#2[7].inner~1@1[3]~1@1',
  ];
  expect(whole.filter((one) => isWithin(whole.at(-1)!, one))).toEqual(whole);
  expect(
    ['fetch#1', 'fetch#2[', 'fetch#2[7].in', 'fetch'].filter((one) => isWithin(whole.at(-1)!, one)),
  ).toEqual([]);
  expect(isWithin('fetch#27~1@1', 'fetch#2')).toBe(false);
  expect(taskPlaceIn(whole.at(-1)!)).toEqual({ step: 'fetch', task: 'fetch_task', iteration: 3 });
  expect(taskPlaceIn('fetch#2{4}~1@1')).toEqual({ step: 'fetch', task: 'fetch_task' });
});
