/** The command line: signals, exit codes, what goes to which stream, what is left behind. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { WORKFLOW_TASK_QUEUE, WORKFLOW_TYPE, workflowId } from '../../src/temporal/client';
import { isAlive } from '../../src/temporal/server/lock';
import { compile } from '../../src/language/dsl';
import { CLI, noetl, start } from '../support/process';
import { inProcess } from '../support/program';
import { startTestServer, type TestServer } from '../support/temporal';
import { until } from '../support/until';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-cli-'));
fs.chmodSync(folder, 0o755);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** For what is not about the server that a command starts itself. */
let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server?.stop());

const env = { NOETL_DATA_DIR: path.join(folder, 'data'), TEMPORAL_ADDRESS: '' };

function playbook(name: string, tool: string): string {
  const file = path.join(folder, `${name}.yaml`);
  const head = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${name}, path: test/${name} }\n`;
  fs.writeFileSync(file, `${head}workflow:\n  - step: start\n    tool: ${tool}\n`);
  return file;
}

const pidFile = path.join(folder, 'pid');
const slow = playbook('slow', `{ kind: shell, cmds: ["echo $$ > ${pidFile}; exec sleep 60"] }`);
const fast = playbook('fast', '{ kind: shell, cmds: ["echo hello"] }');
const broken = playbook('broken', '{ kind: shell, cmds: ["exit 3"] }');

function untilFile(file: string): Promise<string> {
  return until(() => fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim());
}
beforeEach(() => fs.rmSync(pidFile, { force: true }));

describe('run', () => {
  test('prints one JSON document, saves the history, and leaves nothing running', async () => {
    const history = path.join(folder, 'histories', 'h.json');
    const { code, stdout, stderr } = await noetl(['run', fast, '--json', '--history', history], env);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', error: null, steps_executed: ['start'] });
    expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/noetl-\d+/);
    const events = historyFromJSON(JSON.parse(fs.readFileSync(history, 'utf8'))).events!;
    expect(events.at(-1)!.workflowExecutionCompletedEventAttributes).toBeTruthy();
    expect(fs.existsSync(path.join(folder, 'data', 'temporal', 'temporal.state.json'))).toBe(false);
  });

  test('exits 1 when the execution fails, and shows where', async () => {
    const { code, stdout, stderr } = await inProcess(['run', broken], {
      ...env,
      TEMPORAL_ADDRESS: server.address,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/✗ Failed: [^]*step start[^]*broken\.yaml:6:13/);
  });

  /** `NODES=22,24` adds releases of the npm package `node`. Node 20's worker used to die of it, and with it all others. */
  const nodes = [
    [process.execPath],
    ...(process.env['NODES']?.split(',') ?? []).map((v) => ['npx', '-y', `node@${v}`]),
  ];
  test.each(nodes)('a fork without an end is a failure of its execution alone (%s)', async (...node) => {
    const [command, ...args] = node as [string, ...string[]];
    const step = (name: string): string =>
      `  - step: ${name}\n    tool: { kind: noop }\n    next: { spec: { mode: inclusive }, arcs: [{ step: start }, { step: other }] }\n`;
    const file = path.join(folder, 'forks.yaml');
    const head = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: forks, path: test/forks }\n';
    fs.writeFileSync(file, `${head}workflow:\n${step('start')}${step('other')}`);
    const there = { ...env, TEMPORAL_ADDRESS: server.address };
    const { code, stdout } = await start(command, [...args, CLI, 'run', file, '--json'], there).finished;
    const { error, steps_executed } = JSON.parse(stdout) as {
      error: { code: string };
      steps_executed: string[];
    };
    expect([code, error.code, steps_executed.length]).toEqual([1, 'RUNAWAY_FORK', 1000]);
  });

  test('Ctrl-C cancels, stops the tool and reports', async () => {
    const there = { ...env, TEMPORAL_ADDRESS: server.address };
    const running = start(process.execPath, [CLI, 'run', slow, '--json'], there);
    const pid = Number(await untilFile(pidFile));
    running.child.kill('SIGINT');
    const { code, stdout } = await running.finished;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled', steps_executed: ['start'] });
    expect(isAlive(pid)).toBe(false);
  });

  test('--timeout cancels too, and says so', async () => {
    const { code, stdout } = await inProcess(['run', slow, '--json', '--timeout', '1s'], {
      ...env,
      TEMPORAL_ADDRESS: server.address,
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled', error: { code: 'RUN_TIMEOUT' } });
  });

  test('two at once share the server', async () => {
    const [one, two] = await Promise.all([
      noetl(['run', fast, '--json'], env),
      noetl(['run', fast, '--json'], env),
    ]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(JSON.parse(one.stdout).execution_id).not.toBe(JSON.parse(two.stdout).execution_id);
  });

  test.each([
    [['run'], 'missing required argument'],
    [['run', 'no-such.yaml'], 'no-such.yaml: there is no such file'],
    [['run', fast, '--payload', '{"a":'], '--payload is not JSON at line 1, column 6'],
    [['run', fast, '--set', 'a'], 'expected NAME=VALUE'],
    [['run', fast, '--timeout', 'soon'], '--timeout soon'],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['worker'], 'nothing to serve'],
    [['worker', '--kinds', 'fax'], 'unknown kind: fax'],
    [['worker', '--kinds', 'http'], 'no storage for large results is configured'],
    [['worker', '--kinds', 'http', '--storage', 'file:blobs'], 'needs an absolute path'],
    [['storage', 'gc', '--older-than', 'soon'], 'expected a time like'],
  ])('%j is wrong use: exit code 2, one line and what to do', async (args, line) => {
    const { code, stdout, stderr } = await inProcess(args, env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const [message, ...advice] = stderr.trim().split('\n');
    expect(message).toContain(line);
    expect(advice.filter((each) => !each.startsWith('  → '))).toEqual([]);
  });

  test('a server that does not answer is no stack trace, and still JSON', async () => {
    const { code, stdout, stderr } = await inProcess(['run', fast, '--json'], {
      ...env,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', error: { code: 'TEMPORAL_UNREACHABLE' } });
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stderr).toContain('waiting for the Temporal server at 127.0.0.1:1 …\n');
  });

  test.each([
    [['worker', '--kinds', 'http', '--storage', 'none']],
    [['run', fast]],
    [['serve', '--storage', 'none']],
  ])('%j says within three seconds of its start whom it waits for', async (args) => {
    const command = start(process.execPath, [CLI, ...args], { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' });
    try {
      await command.says('waiting for the Temporal server at 127.0.0.1:1 …\n', 3_000);
    } finally {
      command.child.kill('SIGKILL');
    }
  });
});

test('a worker drains on SIGTERM: the task that runs may finish', async () => {
  const file = playbook('drain', `{ kind: shell, cmds: ["echo $$ > ${pidFile}; sleep 2; echo done"] }`);
  const worker = start(
    process.execPath,
    [CLI, 'worker', '--kinds', 'shell', '--workflows', '--grace', '20s', '--storage', 'none'],
    {
      TEMPORAL_ADDRESS: server.address,
    },
  );
  await worker.says('serving');
  const { plan } = compile(fs.readFileSync(file, 'utf8'), { file });
  const handle = await server.client.workflow.start(WORKFLOW_TYPE, {
    workflowId: workflowId('7'),
    taskQueue: WORKFLOW_TASK_QUEUE,
    args: [plan],
  });
  await untilFile(pidFile);
  worker.child.kill('SIGTERM');
  expect((await worker.finished).code).toBe(0);
  const { events } = await handle.fetchHistory();
  expect(events!.some((event) => event.activityTaskCompletedEventAttributes)).toBe(true);
});
