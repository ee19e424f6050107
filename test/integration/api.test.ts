/** `noetl-temporal/client`: the example of docs/api.md, and what it leaves out. */
import { compile } from '../../src/api';
import { newExecutionId, openClient, type PlaybookClient } from '../../src/api/client';
import { type Plan } from '../../src/language/plan';
import { API_EXAMPLES, runExample, writtenExamples, type Written } from '../support/api-page';
import { type Stack, startStack } from '../support/stack';

let stack: Stack;
let client: PlaybookClient;
let examples: Written;
beforeAll(async () => {
  examples = writtenExamples();
  stack = await startStack({ kinds: ['shell'] });
  client = await openClient({ address: stack.server.address, storage: 'none', env: {} });
});
afterAll(async () => {
  examples?.remove();
  await client?.close();
  await stack?.stop();
});

function planOf(steps: string, workload = ''): Plan {
  const head = 'apiVersion: noetl.io/v2\nkind: Playbook\n';
  const metadata = `metadata:\n  name: api\n  path: examples/api\n${workload}`;
  const { plan, diagnostics } = compile(`${head}${metadata}workflow:\n${steps}`, { file: 'api.yaml' });
  if (!plan) throw new Error(JSON.stringify(diagnostics));
  return plan;
}

const atServer = API_EXAMPLES.filter(({ needs }) => needs === 'server');

test.each(atServer)('$name prints what the page says', async (example) => {
  const env = { TEMPORAL_ADDRESS: stack.server.address, TEMPORAL_NAMESPACE: stack.server.namespace };
  expect(await runExample(examples.folder, example, env)).toBe(example.output);
});

test('a failed execution is an ending that names its place', async () => {
  const execution = await client.start(
    planOf('  - step: start\n    tool: {kind: shell, cmds: ["exit 3"]}\n'),
  );
  expect(await execution.result()).toMatchObject({
    status: 'failed',
    result: null,
    error: { code: 'EXIT_3', step: 'start', at: { file: 'api.yaml' } },
  });
  const { state, events, divergence } = await client.execution(execution.id).recorded();
  expect([state.status, divergence]).toEqual(['failed', undefined]);
  expect(events.at(-1)).toMatchObject({ event_type: 'playbook.processed', status: 'error' });
});

test('an event, variables, pause, resume and cancel reach an execution by its id', async () => {
  const plan = planOf(
    '  - step: start\n    tool: {kind: wait, event: go}\n    next: {arcs: [{step: hold}]}\n' +
      '  - step: hold\n    tool: {kind: wait, event: never}\n',
  );
  const { id } = await client.start(plan);
  const execution = client.execution(id);
  await execution.setVariables({ who: 'Ada', gone: 1 });
  await execution.deleteVariables(['gone']);
  await execution.pause('look');
  await execution.resume();
  expect(await execution.send('go', { ok: true }, 'event-1')).toEqual({ taken: 1, duplicate: false });
  await execution.cancel('enough');
  expect(await execution.result()).toMatchObject({ status: 'cancelled', error: { code: 'CANCELLED' } });
  const types = [];
  for await (const { event_type } of execution.events()) types.push(event_type);
  expect(types).toEqual(
    expect.arrayContaining(['playbook.paused', 'playbook.resumed', 'playbook.cancelled']),
  );
  expect((await execution.recorded()).state.ctx).toEqual({ who: 'Ada' });
});

test('wrong inputs start nothing, an id is started once, and an unknown one is told', async () => {
  const plan = planOf(
    '  - step: start\n    tool: {kind: noop}\n',
    '  workload: {n: {type: integer}}\nworkload: {n: 1}\n',
  );
  const id = newExecutionId();
  await expect(client.start(plan, { n: 'x' }, id)).rejects.toMatchObject({
    code: 'WORKLOAD_INVALID',
    message: 'examples/api: workload.n must be a whole number, not a string (metadata.workload)',
  });
  await expect(client.execution(id).recorded()).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
  await expect(client.execution(id).result()).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
  await client.start(plan, { n: 2 }, id);
  await expect(client.start(plan, { n: 2 }, id)).rejects.toThrow('already started');
  expect(await client.execution(id).result()).toMatchObject({ status: 'completed' });
});
