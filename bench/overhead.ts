/**
 * What the interpreter costs: 100 sequential http steps, a loop of 100 and a fan-out of 100 as playbooks, against the
 * same work written by hand, on the same server and HTTP target in the same run. Only ratios mean anything.
 */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { openStorage } from '../src/blobs';
import { compile, formatDiagnostics } from '../src/dsl';
import { type Plan, WORKFLOW_TASK_QUEUE, WORKFLOW_TYPE, workflowId } from '../src/plan';
import { workflowArguments } from '../src/payloads';
import { newExecutionId, startDevServer } from '../src/temporal';
import { startWorkers } from '../src/worker/workers';
import { activities } from './floor/activities';

const N = 100;
const ROUNDS = 5;

const head =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: bench, path: bench/bench}\nworkflow:\n';

const playbooks: Record<string, { yaml: string; floor: 'sequential' | 'fanOut'; aim: number }> = {
  'sequential steps': {
    aim: 1.15,
    floor: 'sequential',
    yaml:
      head +
      Array.from({ length: N }, (_, i) => {
        const next = i + 1 < N ? `\n  next: {arcs: [{step: s${i + 1}}]}` : '';
        return `- step: ${i === 0 ? 'start' : `s${i}`}\n  tool: {kind: http, url: "{{ workload.url }}?i=${i}"}${next}`;
      }).join('\n'),
  },
  loop: {
    aim: 1.2,
    floor: 'sequential',
    yaml: `${head}- step: start\n  loop: {in: "{{ range(${N}) | list }}", iterator: i}\n  tool: {kind: http, url: "{{ workload.url }}?i={{ iter.i }}"}`,
  },
  'fan-out': {
    aim: 1.5,
    floor: 'fanOut',
    yaml: `${head}- step: start\n  loop: {in: "{{ range(${N}) | list }}", iterator: i, spec: {mode: parallel, max_in_flight: ${N}}}\n  tool: {kind: http, url: "{{ workload.url }}?i={{ iter.i }}"}`,
  },
};

function planOf(yaml: string): Plan {
  const { plan, diagnostics } = compile(yaml);
  if (!plan) throw new Error(formatDiagnostics(diagnostics, yaml));
  return plan;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function timed(
  client: Client,
  type: string,
  taskQueue: string,
  args: unknown[],
): Promise<[ms: number, events: number, bytes: number]> {
  const started = performance.now();
  const handle = await client.workflow.start(type, {
    taskQueue,
    workflowId: workflowId(newExecutionId()),
    args,
  });
  await handle.result();
  const ms = performance.now() - started;
  const { historyLength, historySize } = await handle.describe();
  return [ms, historyLength, historySize ?? 0];
}

export async function benchOverhead(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bench-'));
  const target = http.createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  const { dataConverter } = await openStorage('none');
  const server = await startDevServer({ dataDir, inMemory: true, dataConverter });
  const connection = await NativeConnection.connect({ address: server.address });
  const ours = await startWorkers({
    connection,
    namespace: server.namespace,
    dataConverter,
    kinds: ['http'],
    workflows: true,
  });
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: require.resolve('./floor/workflows') });
  const floor = await Promise.all([
    Worker.create({ connection, taskQueue: 'floor-workflows', workflowBundle }),
    Worker.create({ connection, taskQueue: 'floor-http', activities }),
  ]);
  const running = Promise.all(floor.map((worker) => worker.run()));
  try {
    console.log(`${N} http tasks, median of ${ROUNDS}, ms; events and bytes of history`);
    for (const [name, { yaml, floor: hand, aim }] of Object.entries(playbooks)) {
      const plan = planOf(yaml);
      const rounds: { ours: number[]; hand: number[] } = { ours: [], hand: [] };
      let history = '';
      // Interleaved, the first round of each thrown away.
      for (let round = 0; round <= ROUNDS; round++) {
        const [floorMs, floorEvents, floorBytes] = await timed(server.client, hand, 'floor-workflows', [
          url,
          N,
        ]);
        const args = workflowArguments({ payload: { url }, plan });
        const [ms, events, bytes] = await timed(server.client, WORKFLOW_TYPE, WORKFLOW_TASK_QUEUE, args);
        if (round > 0) {
          rounds.ours.push(ms);
          rounds.hand.push(floorMs);
        }
        history = `${events} / ${bytes} B vs ${floorEvents} / ${floorBytes} B (${(bytes / floorBytes).toFixed(2)}x)`;
      }
      const [a, b] = [median(rounds.ours), median(rounds.hand)];
      console.log(
        `${name.padEnd(18)} ours ${a.toFixed(0).padStart(6)}  by hand ${b.toFixed(0).padStart(6)}  ratio ${(a / b).toFixed(2)} (aim ${aim})  ${history}`,
      );
    }
  } finally {
    for (const worker of floor) worker.shutdown();
    await running;
    await ours.stop({ graceMs: 5000 });
    await connection.close();
    await server.stop();
    target.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}
