/** The commands that speak to running executions, as processes: status, pause, resume, cancel, event, vars. */
import { type WorkflowHandle } from '@temporalio/client';
import { type Progress } from '../../src/engine';
import { sendEvent, setVariables } from '../../src/temporal';
import { noetl } from '../support/process';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ kinds: ['shell'] });
});
afterAll(async () => await stack?.stop());

const approval = playbookOf(`
- step: start
  tool: {kind: noop}
  set: {ctx.asked: true}
  next: {arcs: [{step: ask}]}
- step: ask
  tool: {kind: wait, event: approved, timeout: PT2H}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {by: "{{ ask.by }}", limit: "{{ vars.limit }}"}}`);

const run = (...args: string[]) =>
  noetl(args, { TEMPORAL_ADDRESS: stack.server.address, NOETL_STORAGE: 'none' });
const json = async (...args: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
};

async function until(handle: WorkflowHandle, holds: (progress: Progress) => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const progress = await handle.query<Progress>('progress').catch(() => undefined);
    if (progress && holds(progress)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('never came to hold');
}

async function waitingExecution(): Promise<{ handle: WorkflowHandle; id: string }> {
  const handle = await stack.start(stack.compile(approval));
  await until(handle, ({ live }) => live.some(({ wait }) => wait?.event === 'approved'));
  return { handle, id: handle.workflowId.replace('noetl-', '') };
}

test('a run is watched, paused, given variables and an event, resumed, and read when it has ended', async () => {
  const { handle, id } = await waitingExecution();
  expect(await json('status', id)).toMatchObject({
    execution_id: id,
    workflow_id: handle.workflowId,
    path: 'test/test',
    status: 'running',
    steps_executed: ['start', 'ask'],
    live: [{ step: 'ask', wait: { event: 'approved' } }],
    variables: { asked: true },
    finished_at: null,
  });
  expect(await json('pause', id, '--reason', 'lunch')).toMatchObject({ asked: 'pause', reason: 'lunch' });
  await until(handle, ({ status }) => status === 'paused');

  expect(await json('vars', 'set', id, 'limit=3', 'note=a=b')).toMatchObject({ set: ['limit', 'note'] });
  const [refused, deleted, taken] = await Promise.all([
    run('vars', 'set', id, 'not-a-name=1'),
    json('vars', 'delete', id, 'asked'),
    json('event', id, 'approved', '--payload', '{"by": "Ada"}', '--id', 'one'),
  ]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('"not-a-name" is not a variable name');
  expect(deleted).toMatchObject({ deleted: ['asked'] });
  expect(taken).toMatchObject({ event: 'approved', event_id: 'one', fate: 'taken' });

  const [text, list, duplicate, kept] = await Promise.all([
    run('status', id),
    run('vars', 'list', id),
    run('event', id, 'approved', '--id', 'one'),
    run('event', id, 'other'),
  ]);
  expect(text.stdout).toMatch(
    /^paused {2}test\/test[^]*end +queued|^paused {2}test\/test[^]*end_task +queued/,
  );
  expect(list.stdout).toBe('limit = 3\nnote = "a=b"\n');
  expect(duplicate.stdout).toBe('event approved had come before and was ignored\n');
  expect(kept.stdout).toBe('event other is kept until a task waits for it\n');

  expect((await run('resume', id)).stdout).toBe(`${id} resuming\n`);
  expect(await handle.result()).toMatchObject({ result: { by: 'Ada', limit: 3 } });
  const [after, over] = await Promise.all([json('status', id), run('pause', id)]);
  expect(after).toMatchObject({ status: 'completed', result: { by: 'Ada', limit: 3 }, live: [] });
  expect(over).toMatchObject({ code: 1, stdout: '' });
  expect(over.stderr).toMatch(/has ended \(completed\) \[EXECUTION_OVER\]/);
}, 180_000);

test('cancel ends it with the reason; what is no execution is a wrong command', async () => {
  const { handle, id } = await waitingExecution();
  await json('cancel', id, '--reason', 'wrong file');
  await expect(handle.result()).rejects.toMatchObject({ cause: { message: 'wrong file' } });
  const [status, ...wrong] = await Promise.all([
    run('status', id),
    run('status', '987654321'),
    run('cancel', '987654321'),
    run('vars', 'set', '987654321', 'a=1'),
    run('event', id, 'approved', '--payload', '{"by":'),
  ]);
  expect(status.stdout).toMatch(/^cancelled[^]*CANCELLED +wrong file/);
  for (const one of wrong.slice(0, 3)) {
    expect(one).toMatchObject({ code: 2, stdout: '' });
    expect(one.stderr).toContain('there is no execution');
  }
  expect(wrong[3]!.stderr).toContain('--payload is not JSON at line 1');
}, 180_000);

test('without a workflow worker an event waits at the server, and variables say that nobody answers', async () => {
  const { handle } = await waitingExecution();
  await stack.stopWorkers();
  const event = { name: 'approved', payload: { by: 'Bob' }, id: 'late' };
  const { client } = stack;
  const [set, sent] = await Promise.allSettled([
    setVariables(client, handle.workflowId, { limit: 1 }, 1000),
    sendEvent(client, handle.workflowId, event, 1000),
  ]);
  expect(set).toMatchObject({ status: 'rejected', reason: { name: 'NoAnswerError' } });
  expect(sent).toEqual({ status: 'fulfilled', value: undefined });
  await stack.restartWorkers();
  expect(await handle.result()).toMatchObject({ result: { by: 'Bob' } });
}, 180_000);
