/** The REST facade over a real Temporal server: what a run did, and how to steer it. */
import { executionIdOf } from '../../src/temporal/client';
import { at, GREETER, PARENT, useFacadeExecutions, WAITING } from '../support/facade-executions';
import { playbookOf } from '../support/simulator';
import { until } from '../support/until';

const its = useFacadeExecutions();
const { ask, ran, begun, statusOf, listed } = its;

async function get(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; body: never; text: string }> {
  const response = await fetch(`${its.facade.url}${path}`, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, text, body: (isJson ? JSON.parse(text) : undefined) as never };
}

test('is healthy, and ready while Temporal answers', async () => {
  expect(await get('/api/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await get('/api/health/ready')).toMatchObject({ status: 200 });
});

test('tells status, state and events of a finished run from its history alone', async () => {
  const plan = its.stack.compile(
    playbookOf(
      `\n- step: start\n  tool: {kind: shell, cmds: [echo hi]}\n  set: {ctx.said: "{{ start.stdout | trim }}"}`,
    ),
  );
  const { handle } = await its.stack.run(plan);
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
  const first = (await get(`/api/executions/${id}/events?profile=canonical&page_size=5`)).body as {
    events: { seq: number }[];
    pagination: { total_events: number };
  };
  expect(first.events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5]);
  const lines = (
    await get(`/api/executions/${id}/events?profile=canonical`, {
      headers: { accept: 'application/x-ndjson' },
    })
  ).text
    .trim()
    .split('\n');
  expect(lines).toHaveLength(first.pagination.total_events);
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ event_type: 'playbook.processed', execution_id: id });
});

test('cancels a running run, and a run that is over cannot be cancelled', async () => {
  const handle = await its.stack.start(
    its.stack.compile(playbookOf(`\n- step: start\n  tool: {kind: shell, cmds: ["sleep 30"]}`)),
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

test('cancel takes what is waited for along, and with cascade what was detached too', async () => {
  for (const cascade of [false, true]) {
    const id = await begun(PARENT);
    const children = await until(async () => {
      const lines = await listed(`parent_execution_id=${id}&status=running`);
      return lines.length === 2 && lines;
    });
    expect(children).toMatchObject([{ parent_execution_id: id }, { parent_execution_id: id }]);
    // One that is cancelled before its playbook was found has no document of its own.
    for (const child of children) await until(async () => (await statusOf(child.execution_id)) === 'RUNNING');
    const { status, body } = await ask('post', `/api/executions/${id}/cancel`, { cascade, reason: 'enough' });
    const cancelled = body['cancelled_executions'] as unknown as string[];
    expect([status, body['status']]).toEqual([200, 'cancelled']);
    expect(cancelled[0]).toBe(id);
    expect(cancelled).toHaveLength(cascade ? 3 : 2);
    // What the answer calls cancelled is over when it comes.
    for (const one of cancelled) expect(await statusOf(one)).toBe('CANCELLED');
    const running = children.map((child) => child.execution_id).filter((child) => !cancelled.includes(child));
    expect(running).toHaveLength(cascade ? 0 : 1);
    for (const child of running) expect(await statusOf(child)).toBe('RUNNING');
    const inList = await until(async () => {
      const lines = await listed('path=test/parent&status=cancelled,failed');
      return lines.find((line) => line.execution_id === id);
    });
    expect(inList).toMatchObject({ status: 'CANCELLED', error: null });
    for (const child of running)
      expect((await ask('post', `/api/executions/${child}/stop`)).body).toMatchObject({
        status: 'cancelled',
      });
    const again = await ask('post', `/api/executions/${id}/cancel`, { cascade });
    expect([again.status, again.body['message']]).toEqual([400, expect.stringContaining('is over')]);
  }
  expect((await ask('post', '/api/executions/1/cancel', {})).status).toBe(404);
});

test('cancel with cascade finds those that visibility does not know yet', async () => {
  const handle = await its.stack.start(its.stack.compile(PARENT));
  await until(async () => (await handle.describe()).raw.pendingChildren?.length === 2);
  // That of a large cluster is seconds behind; the one of a test is not.
  const visibility = jest.spyOn(its.stack.server.client.workflowService, 'listWorkflowExecutions');
  visibility.mockResolvedValue({ executions: [], nextPageToken: new Uint8Array() } as never);
  const id = executionIdOf(handle.workflowId)!;
  const { body } = await ask('post', `/api/executions/${id}/cancel`, { cascade: true });
  visibility.mockRestore();
  expect(body['cancelled_executions']).toHaveLength(3);
});

test('pauses and resumes', async () => {
  const id = await begun(WAITING);
  expect((await ask('post', `/api/executions/${id}/pause`, {})).status).toBe(202);
  await until(async () => (await statusOf(id)) === 'PAUSED');
  expect((await ask('post', `/api/executions/${id}/resume`)).status).toBe(202);
  await until(async () => (await statusOf(id)) === 'RUNNING');
  await ask('post', `/api/executions/${id}/stop`);
  expect((await ask('post', `/api/executions/${id}/resume`)).body).toMatchObject({ code: 'EXECUTION_OVER' });
});

test('runs again from the start, with other values laid over, as the official CLI asks', async () => {
  const id = await ran(GREETER, { name: 'Ada' });
  const again = { workload: {}, resource_kind: 'playbook' };
  for (const [workload, said] of [
    [{}, 'hello Ada'],
    [{ name: 'Bo' }, 'hello Bo'],
  ] as const) {
    const { status, body } = await ask('post', `/api/executions/${id}/rerun`, { ...again, workload });
    expect(status).toBe(201);
    const next = body['execution_id'] as unknown as string;
    await its.stack.client.workflow.getHandle(`noetl-${next}`).result();
    expect((await ask('get', `/api/executions/${next}`)).body).toMatchObject({ result: { said } });
  }
});

test('cleans up what no worker gives a sign of life for, and leaves alone what waits on purpose', async () => {
  const waiting = await begun(WAITING);
  const stuck = await begun(
    at('test/stuck', playbookOf(`\n- step: start\n  tool: {kind: http, url: "http://127.0.0.1:9/"}`)),
  );
  const dry = await until(async () => {
    const { body } = await ask('post', '/api/executions/cleanup', { older_than_minutes: 0, dry_run: true });
    return (body['execution_ids'] as unknown as unknown[]).length > 0 && body;
  });
  expect(dry).toMatchObject({
    cancelled_count: 0,
    message: '[DRY RUN] Would cancel 1 stuck executions older than 0 minutes',
    executions: [{ execution_id: stuck }],
  });
  expect(await statusOf(stuck)).toBe('RUNNING');
  expect((await ask('post', '/api/executions/cleanup', { older_than_minutes: 60 })).body).toMatchObject({
    cancelled_count: 0,
  });
  const { text, body } = await ask('post', '/api/executions/cleanup', { older_than_minutes: 0 });
  expect(body).toMatchObject({ cancelled_count: 1 });
  // Whole numbers that no JavaScript number holds.
  expect(text).toContain(`"execution_ids":[${stuck}]`);
  expect(await statusOf(stuck)).toBe('CANCELLED');
  expect(await statusOf(waiting)).toBe('RUNNING');
  await ask('post', `/api/executions/${waiting}/stop`);
});

test('the reference page loads nothing but what this server serves', async () => {
  const page = await get('/docs');
  const policy = (await fetch(`${its.facade.url}/docs`)).headers.get('content-security-policy')!;
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
  ['/api/executions/%00/events', 422, 'VALIDATION'],
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
