/** Runs that Temporal's own tools start, under a workflow id of their own: all that REST and the CLI do finds them. */
import { WORKFLOW_TASK_QUEUE } from '../../src/temporal/client';
import { PlaybookRefused, type PlaybookResolver } from '../../src/temporal/worker';
import { type ContractClient, contractClient } from '../support/contract';
import { startFacade, type TestFacade } from '../support/facade';
import { playbooksOf } from '../support/playbooks';
import { inProcess } from '../support/program';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let stack: Stack;
let facade: TestFacade;
let ask: ContractClient;

const PATH = 'test/by-hand';
const version = (said: string): string =>
  playbookOf(`
- step: start
  tool: {kind: noop, input: {said: "${said} {{ workload.name }}"}}
  next: {arcs: [{step: ask}]}
- step: ask
  tool: {kind: wait, event: go}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {said: "{{ start.said }}", by: "{{ ask.by }}"}}`).replace(
    'path: test/test',
    `path: ${PATH}`,
  );
const VERSIONS: Readonly<Record<string, string>> = { 1: version('hello'), 2: version('good day') };
const catalog: PlaybookResolver = {
  resolve({ path, version = '2' }) {
    const text = VERSIONS[version];
    if (path === PATH && text !== undefined) return playbooksOf({ [PATH]: text }).resolve({ path });
    return Promise.reject(new PlaybookRefused('PLAYBOOK_NOT_FOUND', `no playbook ${path}@${version}`));
  },
};

beforeAll(async () => {
  stack = await startStack({ kinds: ['shell'], playbooks: catalog });
  facade = await startFacade(stack);
  ask = contractClient(facade);
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  expect(facade.reported).toEqual([]);
});

/** As `temporal workflow start --type PATH --workflow-id ID --input … --input …`. */
async function begun(workflowId: string, ...args: unknown[]): Promise<void> {
  await stack.client.workflow.start(PATH, { workflowId, taskQueue: WORKFLOW_TASK_QUEUE, args });
}

interface Line {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly path: string;
  readonly status: string;
}

/** Its line in the list, as soon as visibility knows it. */
async function lineOf(workflowId: string, but?: string): Promise<Line> {
  return await until(async () => {
    const lines = (await ask('get', '/api/executions')).body as never as Line[];
    return lines.find((one) => one.workflow_id === workflowId && one.execution_id !== but);
  });
}

test('is listed, told, asked and cancelled by an execution id, which a later run of its workflow id does not take', async () => {
  await begun('nightly', { name: 'Ada' });
  const first = await lineOf('nightly');
  const { execution_id: id } = first;
  expect(first).toMatchObject({
    path: PATH,
    status: 'RUNNING',
    execution_id: expect.stringMatching(/^\d{19}$/),
  });
  // Listed by Temporal, it may not have had its first workflow task, which resolves its playbook.
  const shown = await until(async () => {
    const answer = await ask('get', `/api/executions/${id}`);
    return answer.status === 200 && answer.body;
  });
  expect(shown).toMatchObject({ execution_id: id, workflow_id: 'nightly', status: 'RUNNING' });
  const { body } = await ask('get', `/api/executions/${id}/events`);
  const events = body['events'] as unknown as { execution_id: string }[];
  expect(new Set(events.map((event) => event.execution_id))).toEqual(new Set([id]));
  expect((await ask('get', `/api/executions/${id}/progress`)).body).toMatchObject({ workflow_id: 'nightly' });
  for (const part of ['explanation', 'state', 'graph', 'history', 'status'])
    expect([part, (await ask('get', `/api/executions/${id}/${part}`)).status]).toEqual([part, 200]);
  await ask('post', `/api/vars/${id}`, { variables: { limit: 3 } });

  // Our own command, by both names.
  const env = { TEMPORAL_ADDRESS: stack.server.address, NOETL_STORAGE: 'none' };
  for (const name of [id, 'nightly']) {
    const { code, stdout } = await inProcess(['status', name, '--json'], env);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      execution_id: id,
      workflow_id: 'nightly',
      status: 'running',
      variables: { limit: 3 },
    });
  }
  expect((await ask('post', `/api/executions/${id}/cancel`, { reason: 'enough' })).body).toMatchObject({
    cancelled_executions: [id],
  });

  await begun('nightly', { name: 'Bob' });
  const second = await lineOf('nightly', id);
  expect(second.status).toBe('RUNNING');
  expect((await ask('get', `/api/executions/${id}/status`)).body).toMatchObject({ status: 'CANCELLED' });
  expect(await ask('post', `/api/vars/${id}`, { variables: { limit: 4 } })).toMatchObject({
    status: 409,
    body: { code: 'EXECUTION_OVER', status: 'cancelled' },
  });
  const sent = { execution_id: second.execution_id, name: 'go', payload: { by: 'hand' } };
  expect((await ask('post', '/api/events', sent)).body).toMatchObject({ fate: 'taken' });
  expect(await stack.client.workflow.getHandle('nightly').result()).toMatchObject({
    result: { said: 'good day Bob', by: 'hand' },
  });
});

test('an id that no execution has is not found, also one that looks drawn', async () => {
  for (const id of ['1', '5000000000000000000'])
    expect((await ask('get', `/api/executions/${id}`)).status).toBe(404);
});

test('runs the version that the third argument names, and says what is wrong with it', async () => {
  const ends = await Promise.all(
    [{ version: 1 }, { version: '2' }, { version: 9 }, { versoin: 1 }, { version: [1] }].map(
      async (context, i) => {
        await begun(`pinned-${i}`, { name: 'Ada' }, null, context);
        const handle = stack.client.workflow.getHandle(`pinned-${i}`);
        if (i < 2) await handle.executeUpdate('sendEvent', { args: [{ name: 'go', payload: {} }] });
        return await handle.result().then(
          (end) => (end as { result: { said: string } }).result.said,
          (error: { cause: { type: string; message: string } }) =>
            `${error.cause.type}: ${error.cause.message}`,
        );
      },
    ),
  );
  const argument = 'PLAN_INPUT: the third argument is {"version": …}, the version of the playbook to run: ';
  expect(ends).toEqual([
    'hello Ada',
    'good day Ada',
    `PLAYBOOK_NOT_FOUND: no playbook ${PATH}@9`,
    `${argument}not \`versoin\``,
    `${argument}its \`version\` is neither a number nor a string`,
  ]);
});
