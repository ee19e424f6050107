/** The REST facade over a real Temporal server: what a run did, and how to steer it. */
import { executionIdOf } from '../../src/temporal';
import { startFacade, type TestFacade } from '../support/facade';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';

let stack: Stack;
let facade: TestFacade;

beforeAll(async () => {
  stack = await startStack({ kinds: ['shell'] });
  facade = await startFacade(stack);
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  expect(facade.reported).toEqual([]);
});

async function get(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; body: never; text: string }> {
  const response = await fetch(`${facade.url}${path}`, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, text, body: (isJson ? JSON.parse(text) : undefined) as never };
}

test('is healthy, and ready while Temporal answers', async () => {
  expect(await get('/api/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await get('/api/health/ready')).toMatchObject({ status: 200 });
});

test('tells status, state and events of a finished run from its history alone', async () => {
  const plan = stack.compile(
    playbookOf(
      `\n- step: start\n  tool: {kind: shell, cmds: [echo hi]}\n  set: {ctx.said: "{{ start.stdout | trim }}"}`,
    ),
  );
  const { handle } = await stack.run(plan);
  const id = executionIdOf(handle.workflowId)!;
  expect(await get(`/api/executions/${id}/status`)).toMatchObject({
    status: 200,
    body: {
      execution_id: id,
      completed: true,
      failed: false,
      completed_steps: ['start'],
      variables: { said: 'hi' },
      error: null,
    },
  });
  expect((await get(`/api/executions/${id}/state`)).body).toMatchObject({
    ctx: { said: 'hi' },
    status: 'completed',
  });
  const first = (await get(`/api/executions/${id}/events?page_size=5`)).body as {
    events: { seq: number }[];
    pagination: { total_events: number };
  };
  expect(first.events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5]);
  const lines = (
    await get(`/api/executions/${id}/events`, { headers: { accept: 'application/x-ndjson' } })
  ).text
    .trim()
    .split('\n');
  expect(lines).toHaveLength(first.pagination.total_events);
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ event_type: 'playbook.processed', execution_id: id });
});

test('cancels a running run, and a run that is over cannot be cancelled', async () => {
  const handle = await stack.start(
    stack.compile(playbookOf(`\n- step: start\n  tool: {kind: shell, cmds: ["sleep 30"]}`)),
  );
  const id = executionIdOf(handle.workflowId)!;
  const body = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"reason": "enough"}',
  };
  expect(await get(`/api/executions/${id}/cancel`, body)).toMatchObject({
    status: 200,
    body: { status: 'cancelled', cancelled_executions: [id], message: 'Cancelled 1 execution(s)' },
  });
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  const before = await get(`/api/executions/${id}/status`);
  // `failed`: the official CLI knows two words, and it has not completed.
  expect(before.body).toMatchObject({ status: 'CANCELLED', completed: true, failed: true, error: 'enough' });
  expect(await get(`/api/executions/${id}/cancel`, body)).toMatchObject({
    status: 400,
    body: { code: 'EXECUTION_OVER', message: expect.stringContaining('is over') },
  });
  expect((await get(`/api/executions/${id}/status`)).body).toEqual(before.body);
});

test('the reference page loads nothing but what this server serves', async () => {
  const page = await get('/docs');
  const policy = (await fetch(`${facade.url}/docs`)).headers.get('content-security-policy')!;
  expect(policy).toMatch(/script-src 'self'(;|$)/);
  expect(page.text).not.toMatch(/https?:/);
  expect(page.text).not.toMatch(/<script>/);
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
  expect(files).toHaveLength(4);
  for (const file of [...files, '/openapi.json']) expect(await get(file)).toMatchObject({ status: 200 });
  expect(await get('/docs/package.json')).toMatchObject({ status: 404 });
});

test.each([
  ['/api/nothing', 404, 'NO_ROUTE'],
  ['/api/executions/1/status', 404, 'EXECUTION_NOT_FOUND'],
  ['/api/executions/abc/status', 422, 'EXECUTION_ID'],
  ['/api/executions/%00/events', 422, 'EXECUTION_ID'],
  ['/api/executions/%zz/events', 400, 'BAD_REQUEST'],
])('%s is a clear error, under both keys that clients read', async (path, status, code) => {
  const { body } = await get(path);
  expect(body).toMatchObject({ code, detail: expect.any(String) });
  expect((body as { detail: string; error: string }).error).toBe((body as { detail: string }).detail);
  expect(await get(path)).toMatchObject({ status });
});

test('a body that is not JSON is refused, without a stack trace', async () => {
  const answer = await get('/api/executions/1/pause', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  expect(answer.status).toBe(400);
  expect(answer.text).not.toMatch(/\n\s+at /);
});
