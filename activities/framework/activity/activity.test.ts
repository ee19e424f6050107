import os from 'node:os';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { DefaultLogger } from '@temporalio/worker';
import { MockActivityEnvironment } from '@temporalio/testing';
import { call, context } from '../../../test/support/tool-call';
import { type LogLine, LogWriter } from '../../../src/telemetry/logs';
import { type Json, type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { asActivity, limitSize, runTool, type ToolServices } from './activity';
import { failedTask, succeeded, ToolError } from '../tool/outcome';
import { type Tool, type ToolContext } from '../tool/tool';

const tool = (run: (context: ToolContext) => Promise<Outcome>): Tool => ({
  kind: 'fake',
  run: (_call, ctx) => run(ctx),
});
const services = (more: Partial<ToolServices> = {}): ToolServices => ({ ...context(), ...more });

const quiet = new DefaultLogger('ERROR');
const environment = (): MockActivityEnvironment => new MockActivityEnvironment({}, { logger: quiet });

/** Runs as Temporal would; resolves with the outcome or the failure. */
async function execute(
  one: Tool,
  { env = environment(), given = services(), config = {} } = {},
): Promise<unknown> {
  const activity = asActivity(one, given, () => Context.current());
  return (env.run(activity, call('fake', config)) as Promise<unknown>).catch((error: unknown) => error);
}

test('an ok outcome completes the activity, with how long it took', async () => {
  const outcome = (await execute(tool(async () => succeeded({ n: 1 })))) as Outcome;
  expect(outcome).toMatchObject({ status: 'ok', result: { n: 1 }, error: null });
  expect(outcome.meta).toEqual({
    attempt: 1,
    started_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    ended_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    duration_ms: expect.any(Number) as number,
    trace_id: '287146398761160704',
    worker: `${process.pid}@${os.hostname()}`,
  });
  expect(Date.parse(String(outcome.meta['ended_at']))).toBeGreaterThanOrEqual(
    Date.parse(String(outcome.meta['started_at'])),
  );
});

test('a failed outcome fails the activity, never to be retried by Temporal, with the outcome as details', async () => {
  const failure = (await execute(
    tool(async () =>
      failedTask(
        { kind: 'sql', code: 'SQLSTATE_40P01', message: 'deadlock', retryable: true },
        { result: [1] },
      ),
    ),
  )) as ApplicationFailure;
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({
    type: 'fake.SQLSTATE_40P01',
    message: 'deadlock',
    nonRetryable: true,
    stack: '',
  });
  expect(failure.details![0]).toMatchObject({
    status: 'error',
    result: [1],
    error: { code: 'SQLSTATE_40P01', retryable: true },
  });
});

test('what a tool throws unexpectedly is an outcome of kind exception, without a stack', async () => {
  const outcome = await runTool(
    tool(async () => Promise.reject(new TypeError('boom\n    at secret.ts:1'))),
    call('fake', {}),
    context(),
  );
  expect(outcome.error).toMatchObject({
    kind: 'exception',
    code: 'TOOL_ERROR',
    message: 'fake: TypeError: boom',
  });
  const thrown = await runTool(
    tool(() => Promise.reject(new ToolError({ kind: 'auth', code: 'X', message: 'm' }))),
    call('fake', {}),
    context(),
  );
  expect(thrown.error).toMatchObject({ kind: 'auth', code: 'X', retryable: false });
});

test('heartbeats while the tool runs', async () => {
  const env = environment();
  const beats: unknown[] = [];
  env.on('heartbeat', (details: unknown) => beats.push(details));
  await execute(
    tool(async (ctx) => {
      ctx.heartbeat({ row: 5 });
      while (beats.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
      return succeeded(null);
    }),
    { env },
  );
  expect(beats.at(-1)).toEqual({ task: 'step#1.fake~1@1', details: { row: 5 } });
});

test('a cancellation ends as cancelled, after the tool stopped', async () => {
  const env = environment();
  let stopped = false;
  const one = tool(
    (ctx) =>
      new Promise((_, reject) =>
        ctx.signal.addEventListener('abort', () =>
          setTimeout(() => {
            stopped = true;
            reject(new Error('aborted'));
          }, 50),
        ),
      ),
  );
  setTimeout(() => env.cancel(), 20);
  const failure = await execute(one, { env });
  expect(failure).toBeInstanceOf(CancelledFailure);
  expect(stopped).toBe(true);
});

test('a task that finished all the same keeps its result', async () => {
  const env = environment();
  setTimeout(() => env.cancel(), 10);
  const one = tool(() => new Promise((resolve) => setTimeout(() => resolve(succeeded('done')), 50)));
  expect(await execute(one, { env })).toMatchObject({ status: 'ok', result: 'done' });
});

test('a worker that has to leave gives the task back to Temporal', async () => {
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(), 10);
  const one = tool(
    (ctx) =>
      new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('stop')))),
  );
  expect(await execute(one, { given: services({ stopping: stopping.signal }) })).toMatchObject({
    type: 'WorkerShutdown',
    nonRetryable: false,
  });
});

test.each([
  ['nested 5,000 deep', () => JSON.parse('['.repeat(5000) + ']'.repeat(5000)) as Json],
  ['nested 1,200 deep', () => JSON.parse('{"a":'.repeat(1200) + '"]]"' + '}'.repeat(1200)) as Json],
  [
    'that contains itself',
    () => {
      const list: Json[] = [];
      list.push(list);
      return list;
    },
  ],
  ['with a value that JSON lacks', () => ({ n: 1n }) as unknown as Json],
])('a result %s fails its task once, which Temporal does not repeat', async (_, result) => {
  let runs = 0;
  const failure = (await execute(
    tool(async () => {
      runs++;
      return succeeded(result());
    }),
  )) as ApplicationFailure;
  expect([runs, failure.nonRetryable, failure.type]).toEqual([1, true, 'fake.RESULT_NOT_STORABLE']);
  expect(failure.message).toContain('the task ran');
});

test('a result that is nested 900 deep is kept', async () => {
  const deep = JSON.parse('['.repeat(900) + '"]"' + ']'.repeat(900)) as Json;
  expect(await execute(tool(async () => succeeded(deep)))).toMatchObject({ status: 'ok', result: deep });
});

test('a result above the limit is an outcome that says size and way out', async () => {
  const failure = (await execute(tool(async () => succeeded('x'.repeat(2_200_000))))) as ApplicationFailure;
  expect(failure).toMatchObject({ type: 'fake.RESULT_TOO_LARGE', nonRetryable: true });
  expect((failure.details![0] as Outcome).error).toMatchObject({
    kind: 'validation',
    code: 'RESULT_TOO_LARGE',
  });
  expect(failure.message).toMatch(
    /^the result is 2\.10 MiB as JSON, above the limit of 1\.97 MiB per task; select fewer/,
  );
  const error = limitSize(
    failedTask(
      { kind: 'server_error', code: 'HTTP_500', message: 'm', retryable: true },
      { result: 'x'.repeat(3000) },
    ),
    1000,
  );
  expect(error).toMatchObject({
    result: null,
    error: { code: 'HTTP_500' },
    meta: { dropped_bytes: expect.any(Number) as number },
  });
});

const LOGIN = { type: 'bearer', token: 'canary-two' };
test.each<JsonObject>([
  { auth: LOGIN },
  { auth: { alias: LOGIN } },
  { credential: LOGIN },
  { credentials: { alias: LOGIN } },
  { source: { auth: LOGIN } },
  { target: { credential: LOGIN } },
  { script: { uri: 'x', auth: LOGIN } },
  { script: { source: { auth: LOGIN } } },
  { container: { auth: LOGIN } },
  { job: { auth: LOGIN } },
])('a login that is written into the task is not said: %j', async (config) => {
  const env = environment();
  const one = tool(() => Promise.resolve(succeeded('said canary-two')));
  expect(await execute(one, { env, config })).toMatchObject({ result: 'said [redacted]' });
});

test('secrets of auth and of credentials are in no outcome, failure or heartbeat', async () => {
  const env = environment();
  const beats: unknown[] = [];
  env.on('heartbeat', (details: unknown) => beats.push(details));
  const given = services(
    context({ db: { type: 'postgres', data: { db_user: 'someone', db_password: 'canary-one' } } }),
  );
  const one = tool(async (ctx) => {
    await ctx.credentials.resolve('db', { execution_id: '1' });
    const text = `canary-one canary-two ${Buffer.from('canary-one').toString('base64')} someone`;
    ctx.heartbeat({ text });
    return failedTask(
      { kind: 'sql', code: 'X', message: text, retryable: false },
      { result: { [text]: [text] } },
    );
  });
  const failure = (await execute(one, {
    env,
    given,
    config: { auth: { type: 'bearer', token: 'canary-two' } },
  })) as ApplicationFailure;
  const seen = JSON.stringify([failure.message, failure.details, beats]);
  expect(seen).not.toMatch(/canary|Y2FuYXJ5/);
  expect(failure.message).toBe('[redacted] [redacted] [redacted] someone');
});

describe('what a task prints', () => {
  async function printed(
    one: Tool,
    given: Partial<ToolServices>,
    more: Partial<TaskCall> = {},
  ): Promise<string[]> {
    const kept: LogLine[] = [];
    const logs = new LogWriter({
      shown: 'memory',
      write: (_id, _name, lines) => Promise.resolve(void kept.push(...lines)),
      names: () => Promise.resolve([]),
      read: () => Promise.resolve(undefined),
    });
    const activity = asActivity(one, services({ ...given, logs }), () => Context.current());
    await (environment().run(activity, call('fake', {}, more)) as Promise<unknown>).catch(() => undefined);
    await logs.flush();
    return kept.map(({ stream, step, line }) => `${step} ${stream} ${line}`);
  }

  test('is stored by line, with the failure at its end, and without secrets', async () => {
    const given = context({ db: { type: 'postgres', data: { db_password: 'canary-one' } } });
    const one = tool(async (ctx) => {
      await ctx.credentials.resolve('db', { execution_id: '1' });
      ctx.print!('stdout', Buffer.from('the password is canary-one\n'));
      ctx.print!('stderr', Buffer.from('no end'));
      return failedTask({ kind: 'sql', code: 'X', message: 'said canary-one', retryable: false });
    });
    expect(await printed(one, given)).toEqual([
      'step stdout the password is [redacted]',
      'step stderr no end',
      'step error X: said [redacted]',
    ]);
  });

  test('says nothing of a sensitive result, which is known only at the end', async () => {
    const one = tool(async (ctx) => {
      ctx.print!('stdout', Buffer.from('made canary-token\n'));
      await new Promise((resolve) => setTimeout(resolve, 500));
      return succeeded({ token: 'canary-token' });
    });
    const sealed = {
      check: () => undefined,
      seal: () => Promise.resolve({ provider: 'sealed', ref: 'x' }),
      open: () => Promise.reject(new Error('not asked')),
    } as unknown as ToolServices['sealed'];
    expect(await printed(one, { sealed: sealed! }, { options: { sensitive: ['token'] } })).toEqual([
      'step stdout made [redacted]',
    ]);
  });
});
