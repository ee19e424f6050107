/**
 * The commands that speak to running executions, as processes where they follow, fail or cancel: status, pause, resume, cancel, event, vars, events, logs,
 * explain, diff, rerun;
 * of Temporal, and of a facade (`--server`).
 */
import { type WorkflowHandle } from '@temporalio/client';
import { type Progress } from '../../src/engine/machine';
import { sendEvent, setVariables } from '../../src/temporal/client';
import { freePort } from '../../src/temporal/client';
import { startFacade, type TestFacade } from '../support/facade';
import { playbooksOf } from '../support/playbooks';
import { noetl } from '../support/process';
import { inProcess } from '../support/program';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let stack: Stack;
let facade: TestFacade;
beforeAll(async () => {
  const child = playbookOf(`\n- step: start\n  tool: {kind: wait, event: go}`);
  stack = await startStack({ kinds: ['shell'], playbooks: playbooksOf({ 'test/child': child }) });
  facade = await startFacade(stack);
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  expect(facade.reported).toEqual([]);
});

const temporal = () => ({ TEMPORAL_ADDRESS: stack.server.address, NOETL_STORAGE: 'none' });
const NO_TEMPORAL = { TEMPORAL_ADDRESS: '127.0.0.1:1', NOETL_STORAGE: 'none' };

/** Where the commands of a test are asked; a facade's have no way to Temporal. */
const PLACES = {
  Temporal: (...args: string[]) => inProcess(args, temporal()),
  'a facade': (...args: string[]) => inProcess([...args, '--server', facade.url], NO_TEMPORAL),
};
type Place = keyof typeof PLACES;
const run = PLACES.Temporal;

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

const jsonOf =
  (place: Place) =>
  async (...args: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await PLACES[place](...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Record<string, unknown>;
  };

async function progressed(handle: WorkflowHandle, holds: (progress: Progress) => boolean): Promise<void> {
  await until(async () => holds(await handle.query<Progress>('progress')));
}

async function waitingExecution(): Promise<{ handle: WorkflowHandle; id: string }> {
  const handle = await stack.start(stack.compile(approval));
  await progressed(handle, ({ live }) => live.some(({ wait }) => wait?.event === 'approved'));
  return { handle, id: handle.workflowId.replace('noetl-', '') };
}

test.each(Object.keys(PLACES) as Place[])(
  'of %s: a run is watched, paused, given variables and an event, resumed, and read when it has ended',
  async (place) => {
    const run = PLACES[place];
    const json = jsonOf(place);
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
    expect(await json('pause', id, '--reason', 'lunch')).toMatchObject({ verb: 'pause', reason: 'lunch' });
    await progressed(handle, ({ status }) => status === 'paused');

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
    expect(duplicate.stdout).toBe('event approved was a duplicate and was ignored\n');
    expect(kept.stdout).toBe('event other is kept until a task waits for it\n');

    expect((await run('resume', id)).stdout).toBe(`${id} resuming\n`);
    expect(await handle.result()).toMatchObject({ result: { by: 'Ada', limit: 3 } });
    const [after, over] = await Promise.all([json('status', id), run('pause', id)]);
    expect(after).toMatchObject({ status: 'completed', result: { by: 'Ada', limit: 3 }, live: [] });
    expect(over).toMatchObject({ code: 1, stdout: '' });
    expect(over.stderr).toMatch(/has ended \(completed\) \[EXECUTION_OVER\]/);
  },
  180_000,
);

const detaching = playbookOf(`
- step: start
  tool: {kind: playbook, path: test/child, wait: false}
  next: {arcs: [{step: ask}]}
- step: ask
  tool: {kind: wait, event: approved}`);

test.each(Object.keys(PLACES) as Place[])(
  'cancel --cascade takes along what it does not wait for, asked of %s',
  async (place) => {
    const caller = await stack.start(stack.compile(detaching));
    await progressed(caller, ({ live }) => live.some(({ step }) => step === 'ask'));
    const { workflowService, options } = stack.server.client;
    const query = `ParentWorkflowId = '${caller.workflowId}'`;
    const child = await until(async () => {
      const asked = { namespace: options.namespace, query };
      return (await workflowService.listWorkflowExecutions(asked)).executions[0]?.execution?.workflowId;
    });
    const answer = await jsonOf(place)('cancel', caller.workflowId, '--cascade', '--reason', 'all of it');
    const executions = [caller.workflowId, child].map((one) => one.replace('noetl-', ''));
    expect(answer).toMatchObject({ verb: 'cancel', reason: 'all of it', executions });
    for (const id of [caller.workflowId, child]) {
      const ended = stack.server.client.workflow.getHandle(id);
      await expect(ended.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
      expect((await ended.describe()).status.name).toBe('CANCELLED');
      expect(await jsonOf(place)('status', id)).toMatchObject({ error: { message: 'all of it' } });
    }
  },
  180_000,
);

test('cancel ends it with the reason; what is no execution is a wrong command', async () => {
  const { handle, id } = await waitingExecution();
  const asked = await noetl(['cancel', id, '--reason', 'wrong file'], temporal());
  expect(asked).toMatchObject({ code: 0, stderr: '' });
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
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
  expect(set).toMatchObject({ status: 'rejected', reason: { code: 'WORKER_SILENT' } });
  expect(sent).toEqual({ status: 'fulfilled', value: undefined });
  await stack.restartWorkers();
  expect(await handle.result()).toMatchObject({ result: { by: 'Bob' } });
}, 180_000);

const talking = playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["echo one; echo two >&2"]}
  next: {arcs: [{step: ask}]}
- step: ask
  tool: {kind: wait, event: go, timeout: PT2H}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: shell, cmds: ["echo three"]}`);

test('a facade and Temporal tell the same events, logs and states, also of a run that goes on', async () => {
  const handle = await stack.start(stack.compile(talking));
  const id = handle.workflowId.replace('noetl-', '');
  await progressed(handle, ({ live }) => live.some(({ wait }) => wait?.event === 'go'));
  const far = PLACES['a facade'];
  const followed = [
    ['logs', id, '--follow', '--json'],
    ['events', id, '--follow', '--format', 'ndjson'],
  ].map((args) => noetl([...args, '--server', facade.url], NO_TEMPORAL));
  expect(await jsonOf('a facade')('event', id, 'go')).toMatchObject({ fate: 'taken' });
  await handle.result();
  const [logs, events] = await Promise.all(followed);
  for (const args of [
    ['logs', id, '--json'],
    ['events', id, '--format', 'ndjson'],
    ['events', id, '--state-at', '3'],
    ['explain', id],
    ['explain', id, '--step', 'ask', '--at', '9', '--format', 'json'],
    ['diff', id, id],
  ]) {
    const [there, here] = await Promise.all([far(...args), run(...args)]);
    expect({ args, ...there }).toEqual({ args, ...here });
    expect(there).toMatchObject({ code: 0, stderr: '' });
    if (args[0] === 'logs') expect(logs).toMatchObject(there);
    if (args.includes('ndjson')) expect(events).toMatchObject(there);
  }
  expect(logs!.stdout.match(/"line":"\w+"/g)).toEqual(['"line":"one"', '"line":"two"', '"line":"three"']);
}, 180_000);

test('an execution at a facade is run again from a step, and compared with the first', async () => {
  const yaml = playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["echo {{ workload.word | default('first') }}"]}
  next: {arcs: [{step: check}]}
- step: check
  tool: {kind: noop}
  next:
    arcs:
      - {step: end, when: "{{ workload.word is defined }}"}
      - {step: fails}
- step: fails
  tool: {kind: shell, cmds: ["exit 3"]}
- step: end
  tool: {kind: noop, input: {said: "{{ start.stdout | trim }}", word: "{{ workload.word }}"}}`);
  const first = await stack.start(stack.compile(yaml));
  await expect(first.result()).rejects.toThrow();
  const id = first.workflowId.replace('noetl-', '');
  const far = PLACES['a facade'];
  const [again, failed, unknown, local, replayed] = await Promise.all([
    far('rerun', id, '--from', 'check', '--set', 'word=second', '--json'),
    far('rerun', id, '--from', 'check'),
    far('rerun', id, '--from', 'nowhere'),
    far('rerun', id, '--from', 'check', '--data', 'x'),
    far('replay', id),
  ]);
  expect(replayed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('this release follows the history') as string,
  });
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`rerun of execution ${id} from check#`),
  });
  const document = JSON.parse(again!.stdout) as Record<string, unknown>;
  expect(document).toMatchObject({
    status: 'completed',
    // What the step before had done stands.
    result: { said: 'first', word: 'second' },
    steps_executed: ['start', 'check', 'end'],
  });
  expect(failed).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/step fails · task \w+/) as string,
  });
  expect(unknown).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('nowhere') });
  expect(local).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--data applies to this machine only'),
  });

  const compared = await far('diff', id, document['execution_id'] as string);
  expect(compared).toMatchObject({ code: 1, stderr: '' });
  expect(compared.stdout).toContain('only in b');
}, 180_000);

test('what a facade cannot or will not answer is told with its reason', async () => {
  const nobody = await freePort();
  const at = (url: string, ...args: string[]) => noetl([...args, '--server', url], { NOETL_TOKEN: '' });
  const [unknown, away, closed, nonsense, mixed] = await Promise.all([
    at(facade.url, 'status', '987654321'),
    at(`http://127.0.0.1:${nobody}`, 'cancel', '1'),
    at(facade.url.replace('http:', 'https:'), 'logs', '1'),
    at('nowhere', 'pause', '1'),
    at(facade.url, 'status', '1', '--data', 'x'),
  ]);
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toBe(`error: there is no execution 987654321 at ${facade.url}\n`);
  for (const one of [away, closed]) {
    expect(one).toMatchObject({ code: 1, stdout: '' });
    expect(one.stderr).toMatch(/^error: no facade answers at .*\[FACADE_UNREACHABLE\]\n {2}→ Start one/);
  }
  expect(nonsense).toMatchObject({ code: 2, stderr: expect.stringMatching(/--server nowhere/) as string });
  expect(mixed).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--data applies to this machine only/) as string,
  });
});

test('schedules are made and steered at a facade, and told of what nobody here knows', async () => {
  const at = PLACES['a facade'];
  const create = ['schedule', 'create', 'hourly', 'jobs/nobody-has'];
  const said = /^warning: .*no playbook.*jobs\/nobody-has.* \[SCHEDULE_DOUBTFUL\]/;
  const [made, here, stray] = await Promise.all([
    at(...create, '--every', '1h+10m', '--limit', '3', '--paused'),
    run('schedule', 'create', 'daily', 'jobs/nobody-has', '--cron', '@daily'),
    at('schedule', 'create', 'stray', '../../etc/x', '--every', '1h'),
  ]);
  expect(made).toMatchObject({ code: 0, stdout: 'schedule hourly starts jobs/nobody-has\n' });
  expect(made.stderr).toMatch(/no playbook jobs\/nobody-has \[SCHEDULE_DOUBTFUL\]/);
  expect(here).toMatchObject({ code: 0, stderr: expect.stringMatching(said) as string });
  expect(stray).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"../../etc/x" is not a valid playbook path') as string,
  });
  await at('schedule', 'unpause', 'hourly', '--note', 'go');
  expect(JSON.parse((await at('schedule', 'describe', 'hourly', '--json')).stdout)).toMatchObject({
    path: 'jobs/nobody-has',
    intervals: [{ every: 3_600_000, offset: 600_000 }],
    remaining: 3,
    paused: false,
    note: 'go',
  });
  expect((await at('schedule', 'list')).stdout).toContain('hourly');
  // The facade that `register` asks, also beside an address of Temporal.
  const named = { ...NO_TEMPORAL, NOETL_FACADE_URL: facade.url };
  expect((await inProcess(['schedule', 'list'], named)).stdout).toContain('hourly');
  expect(await at('schedule', 'delete', 'hourly')).toMatchObject({ code: 0 });
});
