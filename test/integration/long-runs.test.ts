/** Long runs on a real Temporal server: tasks that outlive continue-as-new, signals that come while it drains. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import { type State } from '../../src/engine/machine';
import { recordedExecution } from '../../src/history';
import { taskWorkflowId } from '../../src/language/plan';
import { historyPages, steer } from '../../src/temporal/client';
import { isAlive } from '../../src/temporal/server/lock';
import { checkEvents } from '../support/event-checks';
import { playbookOf } from '../support/simulator';
import { isNightly } from '../support/sampled';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-long-'));
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ kinds: ['shell'], config: ['limit.historyCount.suggestContinueAsNew=100'] });
});
afterAll(async () => {
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const stateOf = (handle: WorkflowHandle): Promise<State | undefined> =>
  handle.query<State>('state').catch(() => undefined);

/** Waits until the execution continued as new so often. */
const continuedTimes = (handle: WorkflowHandle, times: number): Promise<State> =>
  until(async () => {
    const state = await stateOf(handle);
    return state && (state.continuations ?? 0) >= times && state;
  }, 90_000);

async function derivedAlike(handle: WorkflowHandle, complete = true): Promise<State> {
  const pages = historyPages(stack.server.client, handle.workflowId);
  const { state, events, divergence } = await recordedExecution(pages);
  expect(divergence).toBeUndefined();
  // As JSON, which is how the query tells it: an iteration without a result yet is null there.
  expect(JSON.parse(JSON.stringify(state))).toEqual(await handle.query<State>('state'));
  expect(checkEvents(events, complete)).toEqual([]);
  return state;
}

/** A task allowed an hour beside a loop that fills the history; both write their process ids. */
const beside = (name: string, iterations: number): string =>
  playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: slow}, {step: work}]}
- step: slow
  tool:
    kind: shell
    cmds: ["echo $$ > ${folder}/${name}.pid; while [ ! -e ${folder}/${name}.gate ]; do sleep 0.05; done; echo through"]
    spec: {timeout: {total: 3600}}
  next: {arcs: [{step: end}]}
- step: work
  loop: {in: "{{ range(${iterations}) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 8}}
  tool: {kind: shell, cmds: ["true"]}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {said: "{{ slow.stdout | trim }}", work: "{{ work | length }}"}}`);
const pidOf = (name: string): Promise<number> =>
  until(() => {
    const file = path.join(folder, `${name}.pid`);
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim();
  }).then(Number);
const LONG = 'slow#1~1@1';

test('a loop too long for one history continues as new and loses nothing', async () => {
  const plan = stack.compile(
    playbookOf(`
- step: start
  loop: {in: "{{ range(workload.n) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 50}}
  tool: {kind: shell, cmd: ":"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {n: "{{ start | length }}", ok: "{{ start.stats.success }}"}}`),
  );
  const n = isNightly ? 300 : 120;
  const handle = await stack.start(plan, { n });
  expect(await handle.result()).toMatchObject({ result: { n, ok: n } });
  expect((await derivedAlike(handle)).continuations).toBeGreaterThan(1);
});

test('a task of an hour holds up nothing: the run continues as new beside it, and has its outcome in the end', async () => {
  const handle = await stack.start(stack.compile(beside('through', 120)));
  await pidOf('through');
  const state = await continuedTimes(handle, 2);
  expect(state.longTasks).toEqual({ [LONG]: 'slow#1' });
  fs.writeFileSync(path.join(folder, 'through.gate'), '');
  expect(await handle.result()).toMatchObject({ result: { said: 'through', work: 120 } });
  await derivedAlike(handle);
}, 180_000);

test('cancel stops it, also when it was started by an earlier run of the chain', async () => {
  const handle = await stack.start(stack.compile(beside('cancelled', 60)));
  const pid = await pidOf('cancelled');
  await continuedTimes(handle, 1);
  await steer(stack.client, handle.workflowId, 'cancel', 'enough');
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect((await handle.describe()).status.name).toBe('CANCELLED');
  expect(isAlive(pid)).toBe(false);
  expect((await derivedAlike(handle, false)).cancelReason).toBe('enough');
}, 180_000);

test('its workflow terminated by hand is the error of the task; a cancel after that waits for nobody', async () => {
  const { client } = stack.server;
  const handle = await stack.start(stack.compile(beside('ended', 1)));
  await pidOf('ended');
  await client.workflow.getHandle(taskWorkflowId(handle.workflowId, LONG)).terminate('by hand');
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'TERMINATED' } });
  await derivedAlike(handle, false);

  const other = await stack.start(stack.compile(beside('gone', 60)));
  await pidOf('gone');
  await continuedTimes(other, 1);
  await client.workflow.getHandle(taskWorkflowId(other.workflowId, LONG)).terminate('by hand');
  await steer(stack.client, other.workflowId, 'cancel', 'enough');
  await expect(other.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect((await other.describe()).status.name).toBe('CANCELLED');
  await derivedAlike(other, false);
  for (const name of ['ended', 'gone']) fs.writeFileSync(path.join(folder, `${name}.gate`), '');
}, 180_000);

test('many signals that come while the run drains and continues as new: none is lost, none counts twice', async () => {
  const FLOOD = isNightly ? 250 : 50;
  const COUNT = 4 * FLOOD;
  const yaml = playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: work}, {step: collect}]}
- step: work
  loop: {in: "{{ range(30) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 2}}
  tool: {kind: shell, cmds: ["sleep 0.1"]}
  next: {arcs: [{step: end}]}
- step: collect
  loop: {in: "{{ range(${COUNT}) | list }}", iterator: n}
  tool: {kind: wait, event: tick}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {ticks: "{{ collect.results }}", work: "{{ work | length }}"}}`);
  const handle = await stack.start(stack.compile(yaml));
  const numbers = Array.from({ length: COUNT }, (_, n) => n);
  // In four floods: after each the run continues as new for sure, however many signals one workflow task took in.
  for (let flood = 0; flood < 4; flood++) {
    const queue = numbers.slice(flood * FLOOD, (flood + 1) * FLOOD);
    const sender = async (): Promise<void> => {
      for (let n = queue.shift(); n !== undefined; n = queue.shift()) {
        const tick = { name: 'tick', payload: n, id: `tick-${n}` };
        await handle.signal('event', tick);
        // A sender that got no answer sends it again.
        if (n % 10 === 0) await handle.signal('event', tick);
      }
    };
    await Promise.all(Array.from({ length: 16 }, sender));
    if (flood < 3) await continuedTimes(handle, flood + 1);
  }
  const { result } = (await handle.result()) as { result: { ticks: number[]; work: number } };
  expect(result.work).toBe(30);
  expect([...result.ticks].sort((a, b) => a - b)).toEqual(numbers);
  const state = await derivedAlike(handle);
  expect(state.continuations).toBeGreaterThanOrEqual(3);
}, 240_000);
