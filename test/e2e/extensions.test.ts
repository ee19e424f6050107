/** Tool kinds that others add: a module that the command line loads, a worker in Python; the examples of both. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { CLI, type Finished, noetl, ROOT, type Running, start } from '../support/process';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { present } from '../support/present';
import { pythonVenv } from '../support/python-venv';
import { startTestServer, type TestServer } from '../support/temporal';

const MODULE = './dist/playbooks/extensions/quantum/extension.js';
const QUANTUM = 'playbooks/extensions/quantum/quantum.yaml';
const FIT = 'playbooks/extensions/linear_fit/linear_fit.yaml';

let server: TestServer;
let postgres: TestPostgres;
let simulator: Running;
let endpoint: string;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-extensions-'));

beforeAll(async () => {
  [server, postgres] = await Promise.all([startTestServer(), startTestPostgres()]);
  simulator = start(process.execPath, [
    path.join(ROOT, 'playbooks/extensions/quantum/simulator.mjs'),
    '--port',
    '0',
  ]);
  await simulator.says(/127\.0\.0\.1:\d+/);
  endpoint = /http:\/\/\S+/.exec(simulator.output())![0];
});
afterAll(async () => {
  simulator?.child.kill('SIGTERM');
  await server?.stop();
  await postgres?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

function run(playbook: string, env: NodeJS.ProcessEnv, ...set: string[]): Promise<Finished> {
  const args = ['run', playbook, '--json', ...set.flatMap((one) => ['--set', one])];
  return noetl(args, { TEMPORAL_ADDRESS: server.address, NOETL_CREDENTIAL_PG_LOCAL: postgres.url, ...env });
}

describe('a module', () => {
  const env = { NOETL_EXTENSIONS: MODULE };

  test('S2 §11 runs the quantum profile: submit, poll by retry, fetch, store', async () => {
    const { code, stdout } = await run(QUANTUM, env, `endpoint=${endpoint}`);
    expect({ code, said: stdout }).toMatchObject({ code: 0 });
    const { result, steps_executed } = JSON.parse(stdout) as {
      result: { rows: { counts: Record<string, number> }[] };
      steps_executed: string[];
    };
    expect(steps_executed).toEqual(['start', 'submit_qpu_job', 'poll_qpu_job', 'fetch_results', 'end']);
    const { counts } = result.rows[0]!;
    // A Bell pair: both qubits are measured alike, about half of the time as 0.
    expect(Object.keys(counts).sort()).toEqual(['00', '11']);
    expect(counts['00']! + counts['11']!).toBe(1000);
    expect(Math.abs(counts['00']! - 500)).toBeLessThan(100);
  });

  test('its errors are outcomes like any other, and an unreachable computer is retryable', async () => {
    const [wrong, away] = await Promise.all([
      run(QUANTUM, env, `endpoint=${endpoint}`, 'circuit=shor'),
      run(QUANTUM, env, 'endpoint=http://127.0.0.1:1'),
    ]);
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      error: {
        code: 'QUANTUM_CIRCUIT',
        message: 'quantum: there is no circuit "shor"',
        step: 'submit_qpu_job',
      },
    });
    expect(JSON.parse(away.stdout)).toMatchObject({ error: { code: 'QUANTUM_UNREACHABLE' } });
  });

  test('is known to the compiler, to the schema for editors, and to `worker`', async () => {
    const text = fs.readFileSync(path.join(ROOT, QUANTUM), 'utf8').replace('circuit: "{{', 'cirquit: "{{');
    const file = path.join(folder, 'misspelt.yaml');
    fs.writeFileSync(file, text.replace('    extensions: [quantum]', '    pool: qpu'));
    const [known, unknown, schema, worker] = await Promise.all([
      noetl(['validate', file], env),
      noetl(['validate', file]),
      noetl(['schema'], env),
      noetl(['worker', '--kinds', 'qantum'], env),
    ]);
    expect(known.stderr + known.stdout).toContain('did you mean `circuit`?');
    expect(unknown.stderr + unknown.stdout).toContain('there is no tool of kind `quantum`');
    expect(JSON.parse(schema.stdout)).toHaveProperty('definitions.tool_quantum.properties.shots');
    expect(worker).toMatchObject({ code: 2 });
    expect(worker.stderr).toMatch(/unknown kind: qantum \(known kinds: http, .*, quantum\)/);
  });

  test.each([
    ['./none.js', 'EXTENSION_MISSING', 'Cannot find module'],
    ['no-such-package', 'EXTENSION_MISSING', "Cannot find package 'no-such-package'"],
    [`${MODULE},${MODULE}`, 'EXTENSION_INVALID', 'another module has already added its kind quantum'],
  ])('%s: %s', async (name, code, why) => {
    const said = await noetl(['validate', QUANTUM], { NOETL_EXTENSIONS: name });
    expect(said.code).toBe(1);
    expect(said.stderr).toContain(code);
    expect(said.stderr).toContain(why);
  });
});

test('the module of docs/extensions.md: its data, its hint, and as many tasks at once as it says', async () => {
  const page = fs.readFileSync(path.join(ROOT, 'docs/extensions.md'), 'utf8');
  const example = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, text]) => text!);
  const module = path.join(ROOT, 'dist/help-desk.mjs');
  fs.writeFileSync(
    module,
    example.find((text) => text.includes('help-desk'))!,
  );
  let [now, most] = [0, 0];
  const desk = http.createServer((request, response) => {
    most = Math.max(most, ++now);
    setTimeout(() => {
      now -= 1;
      const isKnown = request.headers.authorization === 'Bearer t';
      response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ items: [{ id: 7 }], total: 1 }));
    }, 300);
  });
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  const file = path.join(folder, 'desk.yaml');
  fs.writeFileSync(
    file,
    `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: desk, path: test/desk }
executor: { spec: { extensions: [tickets] } }
workflow:
  - step: start
    loop: { in: "{{ range(6) | list }}", iterator: n, spec: { mode: parallel } }
    tool: { kind: tickets, auth: desk }
    next: { arcs: [{ step: load }] }
  - step: load
    tool: { kind: tickets, auth: desk, set: { ctx.first: "{{ output.data[0].id }}" } }
    next: { arcs: [{ step: end }] }
  - step: end
    tool:
      kind: event_log
      data: { first: "{{ ctx.first }}", ids: "{{ load.body | map(attribute='id') | list }}" }
`,
  );
  const url = `http://127.0.0.1:${(desk.address() as AddressInfo).port}`;
  const env = (token: string): NodeJS.ProcessEnv => ({
    NOETL_EXTENSIONS: module,
    NOETL_CREDENTIAL_DESK: JSON.stringify({ type: 'help_desk', data: { url, token } }),
  });
  try {
    const { code, stdout } = await run(file, env('t'));
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ result: { first: 7, ids: [7] } });
    expect(most).toBe(2);
    const refused = await noetl(['run', file], { TEMPORAL_ADDRESS: server.address, ...env('old') });
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr + refused.stdout).toContain(
      'the token of the credential has run out: issue another one.',
    );
  } finally {
    fs.rmSync(module);
    desk.close();
  }
});

test('a worker in Python serves a kind that the playbook declares', async () => {
  const venv = present(await pythonVenv(['temporalio==1.35.0']));
  const waiting = start(process.execPath, [CLI, 'run', FIT, '--json'], { TEMPORAL_ADDRESS: server.address });
  // The task waits for the worker that is started next.
  await waiting.says('no worker serves noetl-linear_fit: 1 task waits');
  const worker = start(path.join(venv.bin, 'python'), ['playbooks/extensions/linear_fit/worker.py'], {
    TEMPORAL_ADDRESS: server.address,
  });
  try {
    const first = await waiting.finished;
    expect(JSON.parse(first.stdout)).toMatchObject({
      status: 'completed',
      result: { line: 'y = 2 x + 1', points: 3 },
    });
    const failing = await run(FIT, {}, 'points=[[1, 2], [1, 3]]');
    expect(JSON.parse(failing.stdout)).toMatchObject({
      status: 'completed',
      steps_executed: ['start', 'no_line'],
      result: { why: 'linear_fit: the points have one x only: no line goes through them' },
    });
  } finally {
    worker.child.kill('SIGKILL');
    await worker.finished;
  }
  // The first time on a machine pip installs the SDK.
}, 300_000);
