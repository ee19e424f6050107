/** Rerun from a step, over REST and from the command line: what stands, what runs again, what is refused. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type WorkflowHandle } from '@temporalio/client';
import { type State } from '../../src/engine/machine';
import { recordedExecution } from '../../src/history';
import { sealPayload } from '../../src/storage/sealed';
import {
  executionIdOf,
  historyPages,
  newExecutionId,
  startExecution,
  workflowId,
} from '../../src/temporal/client';
import { checkEvents } from '../support/event-checks';
import { inProcess } from '../support/program';
import { startFacade, type TestFacade } from '../support/facade';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';

let stack: Stack;
let facade: TestFacade;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-rerun-'));
const ledger = path.join(folder, 'ledger');
const stored = pathToFileURL(path.join(folder, 'stored')).href;

beforeAll(async () => {
  stack = await startStack({
    kinds: ['shell', 'secrets'],
    storage: stored,
    config: ['limit.historyCount.suggestContinueAsNew=90'],
  });
  facade = await startFacade(stack);
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
  expect(facade.reported).toEqual([]);
});

/** Each task writes its name into the ledger; `bad` fails unless the workload says otherwise. */
const task = (name: string, then = 'true'): string =>
  `{kind: shell, cmds: ["echo ${name} >> ${ledger}; echo ${name}; ${then}"]}`;
const playbook = (bad: string, more = ''): string =>
  playbookOf(
    `
- step: start
  tool: ${task('start')}
  set: {ctx.said: "{{ start.stdout | trim }}"}
  next: {spec: {mode: inclusive}, arcs: [{step: good}, {step: bad}]}
- step: good
  tool: ${task('good')}
  next: {arcs: [{step: end}]}
- step: bad
  tool: ${bad}
  next: {arcs: [{step: many}]}
- step: many
  loop: {in: "{{ range(workload.many) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 2}}
  tool: {kind: shell, cmds: ["true"]}
  next: {arcs: [{step: end}]}${more}
- step: end
  tool: {kind: noop, input: {said: "{{ ctx.said }}", note: "{{ ctx.note | default(none) }}", bad: "{{ bad.stdout | trim }}", good: "{{ good.stdout | trim }}"}}`,
    'executor: {spec: {policy: {failure: {mode: best_effort}}}}\nworkload: {code: 3, many: 1}',
  );
const recordedPlaybook = playbook(task('bad', 'exit {{ workload.code }}'));

const post = async (id: string, body: object): Promise<{ status: number; body: Record<string, string> }> => {
  const response = await fetch(`${facade.url}/api/executions/${id}/rerun`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};

async function failedRun(): Promise<string> {
  fs.writeFileSync(ledger, '');
  const ended = await stack.run(stack.compile(recordedPlaybook));
  expect(ended).toMatchObject({ status: 'failed', failure: { type: 'EXIT_3' } });
  expect(fs.readFileSync(ledger, 'utf8').trim().split('\n').sort()).toEqual(['bad', 'good', 'start']);
  fs.writeFileSync(ledger, '');
  return executionIdOf(ended.handle.workflowId)!;
}

async function derived(handle: WorkflowHandle) {
  const found = await recordedExecution(historyPages(stack.server.client, handle.workflowId));
  expect(found.divergence).toBeUndefined();
  expect(found.state).toEqual(await handle.query<State>('state'));
  expect(checkEvents(found.events, true)).toEqual([]);
  expect(new Set(found.events.map((event) => event.event_id)).size).toBe(found.events.length);
  return found;
}

test('the failed step runs again with other values, what the others did stands, through continuations', async () => {
  const id = await failedRun();
  const { status, body } = await post(id, {
    from_step: 'bad',
    payload: { code: 0, many: 60 },
    variables: { note: 'second try' },
  });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { status: 'started', rerun_of: { execution_id: id, step: 'bad', step_run_id: 'bad#1' } },
  });
  const handle = stack.client.workflow.getHandle(workflowId(body['execution_id']!));
  expect(await handle.result()).toMatchObject({
    result: { said: 'start', note: 'second try', bad: 'bad', good: 'good' },
  });
  expect(fs.readFileSync(ledger, 'utf8')).toBe('bad\n');
  const { events, state } = await derived(handle);
  expect(state.continuations).toBeGreaterThan(0);
  expect(events[0]).toMatchObject({
    event_type: 'playbook.execution.requested',
    execution_id: body['execution_id'],
    payload: { rerun: body['rerun_of'] },
  });
  const old = await recordedExecution(historyPages(stack.server.client, workflowId(id)));
  const { event_id } = body['rerun_of'] as unknown as { event_id: string };
  expect(old.events.find((event) => event.event_id === event_id)).toMatchObject({
    event_type: 'token.claimed',
    step_run_id: 'bad#1',
  });
});

test('a step runs alone, with what it was given, and nothing follows', async () => {
  const id = await failedRun();
  const { status, body } = await post(id, { from_failure: true, only: true, payload: { code: 0 } });
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { rerun_of: { execution_id: id, step_run_id: 'bad#1', alone: true } },
  });
  const handle = stack.client.workflow.getHandle(workflowId(body['execution_id']!));
  expect(await handle.result()).toMatchObject({ result: { stdout: 'bad\n' } });
  expect(fs.readFileSync(ledger, 'utf8')).toBe('bad\n');
  const { state } = await derived(handle);
  expect(state.executed.at(-1)).toBe('bad');
  expect(await handle.describe()).toMatchObject({
    memo: { noetl_rerun: { execution_id: id, step_run_id: 'bad#1' } },
  });

  // The graph of the file may be another: what the step had before it is in the state.
  const file = path.join(folder, 'only.yaml');
  fs.writeFileSync(
    file,
    recordedPlaybook.replace('next: {arcs: [{step: many}]}', 'next: {arcs: [{step: end}]}'),
  );
  const env = { TEMPORAL_ADDRESS: stack.server.address, NOETL_STORAGE: stored };
  const done = await inProcess(
    ['run', file, '--only', 'bad', '--from', id, '--set', 'code=0', '--json'],
    env,
  );
  expect({ code: done.code, stderr: done.stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(done.stdout)).toMatchObject({ status: 'completed', result: { stdout: 'bad\n' } });
  expect(fs.readFileSync(ledger, 'utf8')).toBe('bad\nbad\n');
});

test('what failed in the check of its keychain runs from its start, once the secret is there', async () => {
  const name = 'NOETL_SECRET_RERUN_LATE';
  const yaml = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: late, path: test/late, workload: {token: {secret: true}}}
workload: {word: recorded, token: null}
keychain: [{name: app, kind: secret_manager, provider: environment, map: {key: rerun_late}}]
workflow:
- step: start
  tool: {kind: shell, cmds: 'printf "%s %s %s" "$W" "$K" "$T"', env: {W: "{{ word }}", K: "{{ keychain.app.key }}", T: "{{ token }}"}}
`;
  const plan = stack.compile(yaml);
  const first = newExecutionId();
  const given = await sealPayload(plan, { token: 'tok', word: 'given' }, stack.sealed, first);
  const { handle } = await startExecution(stack.client, { plan, ...given }, first);
  await expect(handle.result()).rejects.toThrow();
  expect(await post(first, { variables: { a: 1 } })).toMatchObject({
    status: 409,
    body: { code: 'RERUN_STEP_NOT_RUN', detail: expect.stringContaining('ended before its first step') },
  });
  process.env[name] = 'key';
  try {
    for (const body of [{}, { from_step: 'start', payload: { word: 'changed' } }]) {
      const { status, body: begun } = await post(first, body);
      expect({ status, body: begun }).toMatchObject({ status: 201, body: { rerun_of: { step: 'start' } } });
      const again = stack.client.workflow.getHandle(workflowId(begun['execution_id']!));
      const { result } = (await again.result()) as { result: { stdout: string } };
      expect(result.stdout).toBe(`${body.payload?.word ?? 'given'} key tok`);
    }
  } finally {
    delete process.env[name];
  }
});

test('a new revision goes on where it is the same up to the step; else the first difference is named', async () => {
  const id = await failedRun();
  const repaired = playbook(task('repaired'));
  const { body } = await post(id, { from_step: 'bad', playbook: repaired });
  const handle = stack.client.workflow.getHandle(workflowId(body['execution_id']!));
  expect(await handle.result()).toMatchObject({ result: { bad: 'repaired', good: 'good' } });
  expect(fs.readFileSync(ledger, 'utf8')).toBe('repaired\n');
  await derived(handle);
  // A rerun is an execution like any other: it can be rerun.
  const third = await post(body['execution_id']!, { from_step: 'end', variables: { note: 'third' } });
  const again = stack.client.workflow.getHandle(workflowId(third.body['execution_id']!));
  expect(await again.result()).toMatchObject({ result: { note: 'third', bad: 'repaired', said: 'start' } });

  const detour = repaired.replace('{step: good}, {step: bad}', '{step: good}, {step: detour}');
  const side = `\n- step: detour\n  tool: {kind: noop}\n  next: {arcs: [{step: bad}]}\n- step: end\n`;
  const refusals = [
    [
      { from_step: 'bad', playbook: detour.replace('\n- step: end\n', side) },
      409,
      'RERUN_GRAPH_DIFFERS',
      /step start \(.*:\d+:\d+\) continues to detour on the way to bad, the recorded one to bad/,
    ],
    [{ from_step: 'many' }, 409, 'RERUN_STEP_NOT_RUN', /never reached many; it reached start, good, bad/],
    [{ from_step: 'nosuch' }, 422, 'RERUN_STEP_UNKNOWN', /it has start, good, bad, many, end/],
    [{ from_step: 'bad', playbook: 'kind: nothing' }, 422, 'PLAYBOOK_INVALID', /error/],
    [{ from_step: '' }, 422, 'VALIDATION', /from_step/],
  ] as const;
  for (const [asked, status, code, error] of refusals) {
    expect(await post(id, asked)).toMatchObject({
      status,
      body: { code, error: expect.stringMatching(error) as string },
    });
  }
  expect(await post('999999', { from_step: 'bad' })).toMatchObject({ status: 404 });
});

test('the command line runs a revision of a file from a step, and refuses what cannot be', async () => {
  const id = await failedRun();
  const file = path.join(folder, 'revision.yaml');
  fs.writeFileSync(file, recordedPlaybook);
  const env = { TEMPORAL_ADDRESS: stack.server.address };
  const args = ['rerun', id, '--from', 'bad#1', '--json'];
  const done = await inProcess(
    [...args, '--playbook', file, '--set', 'code=0', '--set', 'ctx.note=cli'],
    env,
  );
  expect({ code: done.code, stderr: done.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(`rerun of execution ${id} from bad#1`) as string,
  });
  const document = JSON.parse(done.stdout) as { execution_id: string };
  expect(document).toMatchObject({ status: 'completed', result: { note: 'cli', bad: 'bad', good: 'good' } });
  expect(document.execution_id).not.toBe(id);
  expect(fs.readFileSync(ledger, 'utf8')).toBe('bad\n');
  const refused = await inProcess(['rerun', id, '--from', 'many'], env);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[RERUN_STEP_NOT_RUN]') as string,
  });
});
