/** docs/rest-executions.md, as written: its commands are run in order against a facade, and say what the page says. */
import os from 'node:os';
import { executionIdOf } from '../../src/temporal/client';
import { startFacade, type TestFacade } from '../support/facade';
import { fencesOf, runPage } from '../support/page';
import { inProcess } from '../support/program';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const fences = fencesOf('rest-executions.md');
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

test('every command of the page works', async () => {
  const yaml = fences.find(({ language }) => language === 'yaml')!.text;
  const id = executionIdOf((await stack.start(stack.compile(yaml))).workflowId)!;
  await until(async () => {
    const response = await fetch(`${facade.url}/api/executions/${id}/status`);
    return ((await response.json()) as { current_step?: string }).current_step === 'ask';
  });
  expect(await runPage(fences, os.tmpdir(), { NOETL: facade.url, ID: id })).toBe(5);
}, 300_000);

test('logs tells what tools wrote, of all steps or one', async () => {
  const { handle } = await stack.run(
    stack.compile(
      playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["echo one; echo two >&2"]}
  next: {arcs: [{step: fails}]}
- step: fails
  tool: {kind: shell, cmds: ["echo three; exit 3"]}`),
    ),
  );
  const run = async (...args: string[]): Promise<string[]> => {
    const env = { TEMPORAL_ADDRESS: stack.server.address, NOETL_STORAGE: 'none' };
    const { code, stdout, stderr } = await inProcess(
      ['logs', executionIdOf(handle.workflowId)!, ...args],
      env,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.trim().split('\n');
  };
  expect((await run('--follow')).map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'start#1~1@1   one',
    'start#1~1@1 ! two',
    'fails#1~1@1   three',
    expect.stringMatching(/^fails#1~1@1 × EXIT_3: /),
  ]);
  const [line] = await run('--step', 'fails', '--json');
  expect(JSON.parse(line!)).toMatchObject({ step: 'fails', stream: 'stdout', line: 'three' });
});
