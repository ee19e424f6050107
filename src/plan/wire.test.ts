import { packCall, packOutcome, unpackCall, unpackOutcome } from './wire';
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
};

describe('the wire format', () => {
  it.each([
    call,
    { ...call, attempt: 1, task_run_id: 'fetch#2[7].page~3@2' },
    { ...call, input: { a: 1 }, timeout: { read: 3 }, options: { x: {} }, context: { ctx: {} } },
  ])('gives a call back whole', (one) => {
    expect(unpackCall(JSON.parse(JSON.stringify(packCall(one, 'noetl-42'))) as never, identity)).toEqual(one);
  });

  it('says the execution id only where the workflow id does not', () => {
    expect(packCall(call, 'noetl-42')).toEqual({
      step: 'fetch',
      task: 'page',
      iteration: 7,
      attempt: 2,
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
