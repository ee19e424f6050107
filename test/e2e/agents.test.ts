/** A planner that calls twenty tools, whose workers are killed: once an answer is stored, and while the model thinks. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from '@temporalio/client';
import { compile, formatDiagnostics } from '../../src/language/dsl';
import { type JsonObject } from '../../src/language/plan';
import { openStorage } from '../../src/storage/blobs';
import { newExecutionId, WORKFLOW_TASK_QUEUE, WORKFLOW_TYPE, workflowId } from '../../src/temporal/client';
import {
  MODEL_KEY,
  type ModelAsked,
  type ModelServer,
  say,
  startModelServer,
  toolAnswers,
  use,
} from '../support/model-server';
import { CLI, ROOT, type Running, start } from '../support/process';
import { startTestServer, type TestServer } from '../support/temporal';
import { until } from '../support/until';

const LOOKUP = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: lookup, path: lib/lookup, workload: {n: {type: integer, required: true}}}
workload: {n: null, filler: "${'x'.repeat(2000)}"}
workflow:
- step: start
  tool: {kind: noop, input: {n: "{{ workload.n }}", filler: "{{ workload.filler }}"}}
  next: {arcs: [{step: odd, when: "{{ workload.n == 13 }}"}, {step: end}]}
- step: odd
  tool: {kind: noop, spec: {policy: {rules: [{else: {then: {do: fail, message: bad luck}}}]}}}
- step: end
  tool: {kind: noop, input: {square: "{{ workload.n * workload.n }}", filler: "{{ workload.filler }}"}}
`;

const planner = (endpoint: string): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: planner, path: lib/planner}
workflow:
- step: start
  tool:
    name: plan
    kind: agent
    framework: claude
    model: claude-test
    endpoint: ${endpoint}
    auth: {type: api_key, credential: anthropic}
    prompt: Square the numbers up to twenty.
    tools:
    - name: lookup
      input_schema: {type: object, properties: {n: {type: integer}}, required: [n]}
      playbook: lib/lookup
`;

/** Four numbers a turn, in five turns: a function of the conversation, as a model is one. */
const turnOf = ({ messages }: Pick<ModelAsked, 'messages'>): number => (messages.length + 1) / 2;
const numbersOf = (turn: number): number[] => [1, 2, 3, 4].map((n) => (turn - 1) * 4 + n);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-agents-'));
let model: ModelServer;
let server: TestServer;
beforeAll(async () => {
  model = await startModelServer();
  server = await startTestServer();
});
afterAll(async () => {
  await server?.stop();
  await model?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

// Twice it takes Temporal ten seconds to notice that a worker is gone.
test('each turn that was answered is asked once, each tool runs once, and history grows by the turn', async () => {
  const playbooks = path.join(folder, 'playbooks');
  fs.mkdirSync(playbooks);
  fs.writeFileSync(path.join(playbooks, 'lookup.yaml'), LOOKUP);
  const storage = `file://${folder}/blobs`;
  const env = {
    TEMPORAL_ADDRESS: server.address,
    NOETL_CREDENTIAL_ANTHROPIC: JSON.stringify({ type: 'api_key', data: { value: MODEL_KEY } }),
  };
  const worker = (more: NodeJS.ProcessEnv = {}): Running => {
    const args = [
      'worker',
      '--kinds',
      'agent',
      '--workflows',
      '--playbooks',
      playbooks,
      '--storage',
      storage,
    ];
    return start(process.execPath, [CLI, ...args], { ...env, ...more });
  };
  const store = await openStorage(storage);
  const client = new Client({ connection: server.connection, dataConverter: store.dataConverter });

  const answered: number[] = [];
  const told: string[] = [];
  let killed = (): void => undefined;
  model.script((asked) => {
    const turn = turnOf(asked);
    if (turn === 3 && !answered.includes(-3)) {
      answered.push(-3);
      killed();
      return null;
    }
    answered.push(turn);
    told.push(...toolAnswers(asked));
    return turn > 5 ? say('squared') : use(...numbersOf(turn).map((n) => ['lookup', { n }] as const));
  });

  const text = planner(model.origin);
  const { plan, diagnostics } = compile(text);
  if (!plan) throw new Error(formatDiagnostics(diagnostics, text));
  const first = worker({
    NODE_OPTIONS: `--require ${path.join(ROOT, 'test/support/crash-after-blob.cjs')}`,
    CRASH_MARKER: path.join(folder, 'crashed'),
  });
  await first.says('serving');
  const handle = await client.workflow.start(WORKFLOW_TYPE, {
    workflowId: workflowId(newExecutionId()),
    taskQueue: WORKFLOW_TASK_QUEUE,
    args: [plan],
  });
  expect((await first.finished).signal).toBe('SIGKILL');
  expect(answered).toEqual([1]);

  const second = worker();
  killed = () => void second.child.kill('SIGKILL');
  await second.finished;
  const third = worker();
  const { result } = (await handle.result()) as { result: JsonObject };
  expect(result).toMatchObject({ text: 'squared', turns: 6, usage: { input_tokens: 60, output_tokens: 30 } });
  third.child.kill('SIGTERM');
  await third.finished;

  expect(model.wrong).toEqual([]);
  expect(answered).toEqual([1, 2, -3, 3, 4, 5, 6]);
  const squares = numbersOf(1)
    .concat(...[2, 3, 4, 5].map(numbersOf))
    .map((n) => n * n);
  expect(told.map((one) => (one.startsWith('!') ? one : (JSON.parse(one) as JsonObject)['square']))).toEqual(
    squares.map((square) => (square === 169 ? expect.stringMatching(/^!.*bad luck/) : square)),
  );
  const calls = await until(async () => {
    const { count } = await client.workflow.count('WorkflowType = "lib/lookup"');
    return count >= 20 && count;
  });
  expect(calls).toBe(20);

  const { events } = await handle.fetchHistory();
  const sizes = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: task }) =>
    task?.activityType?.name === 'agent' ? [task.input?.payloads?.[0]?.data?.length ?? 0] : [],
  );
  expect(sizes).toHaveLength(6);
  // Each but the first has the answers of four tools; none has those of the turns before.
  expect(sizes[5]! / sizes[1]!).toBeLessThan(1.5);
  const kept = [JSON.stringify(events), ...filesIn(path.join(folder, 'blobs'))];
  expect(kept.length).toBeGreaterThan(6);
  for (const one of kept) expect(one).not.toContain(MODEL_KEY);
}, 180_000);

function filesIn(where: string): string[] {
  const found = fs.readdirSync(where, { recursive: true, withFileTypes: true });
  return found
    .filter((one) => one.isFile())
    .map((one) => fs.readFileSync(path.join(one.parentPath, one.name), 'latin1'));
}
