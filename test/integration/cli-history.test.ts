/** The commands that read history: events, as a process where it follows an execution; explain, replay, diff. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compile } from '../../src/language/dsl';
import {
  connect,
  freePort,
  obtainTemporalCli,
  WORKFLOW_TASK_QUEUE,
  WORKFLOW_TYPE,
  workflowId,
} from '../../src/temporal/client';
import { serverArguments } from '../../src/temporal/server/dev-server';
import { CLI, ROOT, type Running, start } from '../support/process';
import { inProcess } from '../support/program';
import { playbookOf } from '../support/simulator';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-cli-history-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const golden = (name: string): string => path.join(ROOT, 'test/histories/0.1.0', `${name}.json`);
const offline = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

interface Changeable {
  events: Record<string, Record<string, unknown>>[];
}
function changed(name: string, change: (history: Changeable) => void): string {
  const history = JSON.parse(fs.readFileSync(golden(name), 'utf8')) as Changeable;
  change(history);
  const file = path.join(folder, `${name}-changed.json`);
  fs.writeFileSync(file, JSON.stringify(history));
  return file;
}

describe('events', () => {
  test.each(['canonical', 'formal', 'extended', 'noetl'])(
    'prints profile %s as JSON and as lines alike',
    async (profile) => {
      const args = ['events', golden('fan_out_reduce'), '--profile', profile];
      const json = await inProcess([...args, '--format', 'json'], offline);
      const lines = await inProcess([...args, '--format', 'ndjson'], offline);
      const rows = JSON.parse(json.stdout) as unknown[];
      expect(rows.length).toBeGreaterThan(50);
      expect(
        lines.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual(rows);
    },
  );

  test('shows the state at an event, and says how many there are', async () => {
    const at = await inProcess(['events', golden('error_path_failed'), '--state-at', '13'], offline);
    expect(JSON.parse(at.stdout)).toMatchObject({ status: 'running', counters: { retries: 1 } });
    const beyond = await inProcess(['events', golden('error_path_failed'), '--state-at', '500'], offline);
    expect(beyond).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the execution has 35 events') as string,
    });
  });

  test('refuses a file that is no history, and a table of another profile, with exit code 2', async () => {
    expect(await inProcess(['events', 'package.json'], offline)).toMatchObject({ code: 2, stdout: '' });
    expect(await inProcess(['events', golden('hello_world'), '--profile', 'formal'], offline)).toMatchObject({
      code: 2,
    });
  });

  test('--follow goes on through a restart of the server and ends with the execution', async () => {
    const gate = path.join(folder, 'gate');
    const [port, ui] = await Promise.all([freePort(), freePort()]);
    const database = path.join(folder, 'temporal.db');
    const { path: binary } = await obtainTemporalCli();
    const serve = () => start(binary, serverArguments({ grpc: port, ui, namespace: 'default', database }));
    const address = `127.0.0.1:${port}`;
    let server = serve();
    const env = { TEMPORAL_ADDRESS: address, NOETL_DATA_DIR: path.join(folder, 'data') };
    let worker: Running | undefined;
    try {
      const { client, connection } = await connect({ address, namespace: 'default' }, 60_000);
      const workerArgs = ['worker', '--kinds', 'shell', '--workflows', '--storage', 'none'];
      worker = start(process.execPath, [CLI, ...workerArgs], env);
      await worker.says('serving', 60_000);
      const { plan } = compile(
        playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["while [ ! -e ${gate} ]; do sleep 0.05; done"]}`),
        { file: 'gate.yaml' },
      );
      await client.workflow.start(WORKFLOW_TYPE, {
        workflowId: workflowId('77'),
        taskQueue: WORKFLOW_TASK_QUEUE,
        args: [plan],
      });
      const following = start(process.execPath, [CLI, 'events', '77', '--follow', '--format', 'ndjson'], env);
      await following.says('task.started', 60_000);
      await connection.close();
      server.child.kill('SIGKILL');
      await server.finished;
      await following.says('does not respond', 60_000);
      server = serve();
      fs.writeFileSync(gate, '');
      const { code, stdout } = await following.finished;
      expect(code).toBe(0);
      const events = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { seq: number; event_type: string });
      expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
      expect(events.at(-1)!.event_type).toBe('playbook.processed');
      const again = await inProcess(['events', '77', '--format', 'ndjson'], env);
      expect(again.stdout).toBe(stdout);
    } finally {
      worker?.child.kill('SIGKILL');
      server.child.kill('SIGKILL');
    }
  }, 240_000);
});

describe('replay', () => {
  test('follows a golden history, offline', async () => {
    const { code, stdout } = await inProcess(
      ['replay', golden('streaming_pagination'), '--format', 'json'],
      offline,
    );
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, runs: 1 });
    expect(code).toBe(0);
  });

  test('names the task that this release would run otherwise, and where', async () => {
    const file = changed('hello_world', ({ events }) => {
      const scheduled = events.find((event) => event['activityTaskScheduledEventAttributes'])!;
      scheduled['activityTaskScheduledEventAttributes']!['activityType'] = { name: 'http' };
    });
    const { code, stdout } = await inProcess(['replay', file, '--format', 'json'], offline);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      divergence: {
        by: 'engine',
        history_event_id: 3,
        recorded: 'task greet#1~1@1 (http)',
        replayed: 'task greet#1~1@1 (python)',
      },
    });
    // Whoever exports such a run is told that it is not to be trusted.
    const events = await inProcess(['events', file, '--format', 'json'], offline);
    expect(events).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot replay the history') as string,
    });
  });

  test('a difference that only Temporal sees is put plainly, with its event', async () => {
    const file = changed('by_path', ({ events }) => {
      const upsert = events.find((event) => event['upsertWorkflowSearchAttributesEventAttributes'])!;
      const { workflowTaskCompletedEventId } = upsert['upsertWorkflowSearchAttributesEventAttributes']!;
      delete upsert['upsertWorkflowSearchAttributesEventAttributes'];
      Object.assign(upsert, {
        eventType: 'EVENT_TYPE_MARKER_RECORDED',
        markerRecordedEventAttributes: { markerName: 'x', workflowTaskCompletedEventId },
      });
    });
    const { code, stdout } = await inProcess(['replay', file], offline);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /found by Temporal’s replayer .* cannot replay the history: .*HistoryEvent\(id: 5, MarkerRecorded/,
    );
    expect(await inProcess(['replay', 'package.json'], offline)).toMatchObject({ code: 2 });
  });
});

test('explain says why, offline, for one step or at one event', async () => {
  const text = await inProcess(['explain', golden('error_path_failed'), '--step', 'risky'], offline);
  expect(text.stdout).toContain("{{ event.name == 'step.failed' and workload.rescue }}");
  expect(text.stdout).toContain('workload.rescue = false');
  expect(text.stdout).not.toContain('start#1');
  const json = await inProcess(
    ['explain', golden('error_path_failed'), '--at', '13', '--format', 'json'],
    offline,
  );
  expect(JSON.parse(json.stdout)).toMatchObject({ decisions: [{ seq: 12, kind: 'retry' }] });
  expect(
    await inProcess(['explain', golden('error_path_failed'), '--step', 'nosuch'], offline),
  ).toMatchObject({
    code: 2,
  });
});

test('diff tells two executions apart, and one from itself not', async () => {
  const [failed, rescued] = [golden('error_path_failed'), golden('error_path_rescued')];
  const { code, stdout } = await inProcess(['diff', failed, rescued, '--format', 'json'], offline);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    same: false,
    a: { status: 'failed' },
    b: { status: 'completed' },
    differences: expect.arrayContaining([
      { kind: 'execution', id: '', what: 'workload.rescue', a: false, b: true },
      { kind: 'step', id: 'recover#1', what: 'only', a: false, b: true },
    ]) as unknown,
  });
  expect(await inProcess(['diff', failed, failed], offline)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('They did the same.') as string,
  });
});
