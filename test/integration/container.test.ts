/** The kind `container` with a real engine (activities/kinds/container/container.test.ts: with what engines may answer). */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { parse } from 'yaml';
import { container as tool } from '../../activities/kinds/container/run';
import { containerIdentity, LABEL_EXECUTION } from '../../activities/kinds/container/identity';
import { script } from '../../activities/kinds/script/run';
import { storeBody } from '../../activities/framework/results/body';
import { openStorage } from '../../src/storage/blobs';
import { type Json, type JsonObject, type Outcome } from '../../src/language/plan';
import { startContainerEngine, startLimitingEngine, type TestEngine } from '../support/container-engine';
import { Missing, present } from '../support/present';
import { ROOT, start } from '../support/process';
import { call, context, run } from '../support/tool-call';
import { until } from '../support/until';

let engine: TestEngine;
const before = process.env['DOCKER_HOST'];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-container-test-'));
/** Each test file of a machine has its own containers. */
const execution_id = String(BigInt(process.pid) * 1_000_000n + BigInt(Date.now() % 1_000_000));

beforeAll(async () => {
  engine = present(await startContainerEngine());
  process.env['DOCKER_HOST'] = engine.host;
}, 300_000);
afterAll(() => {
  engine?.stop();
  if (before === undefined) delete process.env['DOCKER_HOST'];
  else process.env['DOCKER_HOST'] = before;
  fs.rmSync(folder, { recursive: true, force: true });
});

const real = (name: string, body: (engine: TestEngine) => Promise<void>): void => {
  test(name, async () => {
    await body(engine);
  });
};
let runs = 0;
const ids = () => ({
  execution_id,
  task_run_id: `step#1.container~${++runs}@1`,
  idempotency_key: `${execution_id}/${runs}`,
});
const left = ({ client }: TestEngine) =>
  client.listContainers({ all: true, filters: { label: [`${LABEL_EXECUTION}=${execution_id}`] } });

real(
  'a command with inputs, a mount and a folder; its output, its exit code, nothing left behind',
  async (engine) => {
    fs.writeFileSync(path.join(folder, 'in.txt'), 'mounted');
    const command =
      'pwd; cat in.txt; echo; echo "$NOETL_INPUT_WHO"; touch in.txt || echo read-only >&2; exit 3';
    const mounts = [`${folder}:/data:ro`];
    const input = { who: "O'Neil" };
    const outcome = await run(
      tool,
      { image: engine.image, command, mounts, workdir: '/data' },
      { ...ids(), input },
    );
    expect(outcome.result).toMatchObject({ stdout: "/data\nmounted\nO'Neil\n", exit_code: 3 });
    expect(outcome.error).toMatchObject({ kind: 'exception', code: 'EXIT_3' });
    expect(outcome.error!.message).toMatch(/exit code 3: read-only$/);
    expect(await left(engine)).toEqual([]);
  },
);

real('in a sandbox: no network, no privilege to be had by any user', async (engine) => {
  const command =
    'grep -E "CapEff|CapBnd|NoNewPrivs" /proc/self/status; tail -n +3 /proc/net/dev | cut -d: -f1; cat /proc/net/route';
  for (const user of ['0:0', '1000:1000']) {
    const config = { image: engine.image, command, user };
    const { result, error, meta } = await run(tool, config, { ...ids(), options: { sandbox: 'strict' } });
    expect([error, meta['sandbox']]).toEqual([null, 'strict']);
    const { stdout } = result as { stdout: string };
    expect(stdout).toMatch(/CapEff:\s+0{16}\nCapBnd:\s+0{16}\nNoNewPrivs:\s+1\n\s+lo\n/);
    expect(stdout.trim().split('\n')).toHaveLength(5);
  }
});

real('the example', async (engine) => {
  const text = fs.readFileSync(path.join(ROOT, 'playbooks/tools/container.yaml'), 'utf8');
  const { command, limits, network } = (parse(text) as { workflow: { tool: JsonObject }[] }).workflow[0]!
    .tool;
  const config = { image: engine.image, command: command!, limits: limits!, network: network! };
  const outcome = await run(tool, config, { ...ids(), input: { who: "O'Neil" } });
  expect(outcome.result).toMatchObject({ data: { hello: "O'Neil" } });
});

real('a script with its interpreter', async (engine) => {
  const config = { code: 'echo "[$1, $X]"', args: ['7'], container: engine.image, env: { X: 8 } };
  expect((await run(script, config, ids())).result).toMatchObject({ data: [7, 8], exit_code: 0 });
});

real('a script with files of the store, for a user who is not root', async (engine) => {
  const storage = await openStorage(`file://${folder}/blobs`);
  const results = storage.results('default')!;
  const lines = Readable.from(Array.from({ length: 200 }, (_, n) => Buffer.from(`${n} `.repeat(20_000))));
  const { signal } = new AbortController();
  const numbers = { ...(await storeBody(results, `noetl-${execution_id}`, lines, 'text/plain', signal)) };
  const config = {
    code: 'wc -w < "$NOETL_FILES/numbers.txt"; id -u; echo x > "$NOETL_FILES/numbers.txt"',
    container: { image: engine.image, user: '1000:1000' },
    files: { 'numbers.txt': numbers },
  };
  const outcome = await run(script, config, ids(), { ...context(), results });
  await storage.close();
  expect(outcome.result).toMatchObject({ stdout: '4000000\n1000\n' });
  expect(outcome.error!.message).toMatch(/permission denied/i);
  expect(await left(engine)).toEqual([]);
});

real('a cancellation removes the container; its log was seen until then', async (engine) => {
  const ctx = context();
  const running = run(tool, { image: engine.image, command: 'echo started; sleep 60' }, ids(), ctx);
  await until(() => ctx.beats.find((beat) => (beat as { log: Json[] }).log.includes('started')));
  expect(await left(engine)).toHaveLength(1);
  ctx.controller.abort();
  expect((await running).error).toMatchObject({ kind: 'cancelled' });
  expect(await left(engine)).toEqual([]);
});

real('so does a timeout', async (engine) => {
  const { error } = await run(tool, { image: engine.image, command: ['sleep', '60'], timeout: 1 }, ids());
  expect(error).toMatchObject({ kind: 'timeout', retryable: true });
  expect(await left(engine)).toEqual([]);
});

real('a program and an image that are not there', async (engine) => {
  const none = await run(tool, { image: engine.image, command: ['no-such-program'] }, ids());
  expect(none.error).toMatchObject({ kind: 'validation', code: 'CONTAINER_START', retryable: false });
  const never = { image: 'localhost/no-such-image:1', pull: 'never' };
  expect((await run(tool, never, ids())).error).toMatchObject({ kind: 'not_found', code: 'IMAGE_NOT_FOUND' });
  expect(await left(engine)).toEqual([]);
});

real(
  'a worker that is killed leaves the container to the next try, which goes on with it',
  async (engine) => {
    const command = 'echo begun; while [ ! -f /data/go ]; do sleep 0.05; done; echo done';
    const task = call('container', { image: engine.image, command, mounts: [`${folder}:/data`] }, ids());
    const program = `
    const { container } = require(${JSON.stringify(path.join(ROOT, 'dist/activities/kinds/container/run.js'))});
    const context = { signal: new AbortController().signal, heartbeat: (beat) => console.log(JSON.stringify(beat)) };
    container.run(${JSON.stringify(task)}, context);`;
    const worker = start(process.execPath, ['-e', program]);
    await worker.says('begun');
    worker.child.kill('SIGKILL');
    await worker.finished;
    const [orphan] = await left(engine);
    expect(orphan).toMatchObject({ State: 'running', Names: [`/${containerIdentity(task).name}`] });
    const { task_run_id, idempotency_key } = task;
    const again = run(tool, task.config as JsonObject, { execution_id, task_run_id, idempotency_key });
    fs.writeFileSync(path.join(folder, 'go'), '');
    expect(await again).toMatchObject({
      status: 'ok',
      result: { stdout: 'begun\ndone\n', container: orphan!.Id.slice(0, 12) },
      meta: { adopted: true },
    });
    expect(await left(engine)).toEqual([]);
  },
);

real('a limit of memory ends it, where the engine has control groups', async ({ image }) => {
  const limiting = present(await startLimitingEngine());
  const shared = process.env['DOCKER_HOST'];
  process.env['DOCKER_HOST'] = limiting.host;
  try {
    const limited = (command: string): Promise<Outcome> =>
      run(tool, { image, command, limits: { memory_mb: 32 } }, ids());
    const probe = await limited('exit 0');
    if (probe.error) throw new Missing({ skipped: `no limits here: ${probe.error.message}`, extra: true });
    const { error } = await limited('x=a; while true; do x=$x$x; done');
    expect(error).toMatchObject({ kind: 'exception', retryable: false });
    // Docker says that it was the limit, podman only that it was killed.
    expect(error!.code).toMatch(/^(OUT_OF_MEMORY|EXIT_137)$/);
    expect(error!.message).toContain('limits.memory_mb: 32');
  } finally {
    process.env['DOCKER_HOST'] = shared;
    limiting.stop();
  }
});
