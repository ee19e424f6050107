/**
 * Exports a history: from a file of `temporal workflow show --output json` to lines of canonical events. Target:
 * 10,000 history events under 1 s, 50,000 under 5 s, and memory that does not grow with the history.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { payloadToJSON } from '@temporalio/common/lib/proto-utils';
import { compile, formatDiagnostics } from '../src/language/dsl';
import { type Command, type Input, Machine } from '../src/engine/machine';
import { Derivation, eventStream, historyFile } from '../src/history';
import { packCall, packOutcome, type Outcome } from '../src/language/plan';

const ID = '123456789012345678';
const outcome: Outcome = { status: 'ok', result: { n: 1, text: 'a short result' }, error: null, meta: {} };
export const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: bench, path: bench/history}
workflow:
  - step: start
    loop: {in: "{{ range(workload.n) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 4}}
    tool:
      - name: fetch
        kind: http
        url: "http://x/{{ iter.n }}"
      - name: store
        kind: python
        input: {n: "{{ iter.n }}"}
        code: result = n
`;

/** Writes a history of a loop with about this many events. */
export function writeHistory(file: string, wanted: number): number {
  const { plan, diagnostics } = compile(PLAYBOOK);
  if (!plan) throw new Error(formatDiagnostics(diagnostics, PLAYBOOK));
  const stream = fs.openSync(file, 'w');
  const payloads = (...values: unknown[]): object => ({
    payloads: values.map((value) => payloadToJSON(defaultPayloadConverter.toPayload(value)!)),
  });
  let id = 0;
  let at = Date.UTC(2026, 0, 1);
  const write = (attributes: object): number => {
    id++;
    at += 1;
    const event = { eventId: String(id), eventTime: new Date(at).toISOString(), ...attributes };
    fs.writeSync(stream, `${id === 1 ? '{"events":[\n' : ',\n'}${JSON.stringify(event)}`);
    return id;
  };
  const machine = Machine.create(plan, ID);
  // An iteration has two tasks of three events each, and its share of the workflow tasks: four iterations run in
  // parallel.
  const n = Math.floor(wanted / 7.5);
  write({
    workflowExecutionStartedEventAttributes: {
      workflowId: `noetl-${ID}`,
      workflowType: { name: plan.metadata.path },
      input: payloads({ n }, plan),
    },
  });
  let inputs: Input[] = [{ type: 'started', payload: { n } }];
  while (inputs.length > 0) {
    write({ workflowTaskScheduledEventAttributes: {} });
    const startedEventId = String(write({ workflowTaskStartedEventAttributes: {} }));
    const commands = machine.advance({ at, inputs });
    write({ workflowTaskCompletedEventAttributes: { startedEventId } });
    const completed = String(id);
    const calls = commands.filter((command: Command) => command.type === 'runTask');
    const scheduled = calls.map(({ call }) =>
      String(
        write({
          activityTaskScheduledEventAttributes: {
            activityId: call.task_run_id,
            activityType: { name: call.kind },
            workflowTaskCompletedEventId: completed,
            input: payloads(packCall(call, `noetl-${ID}`)),
          },
        }),
      ),
    );
    for (const scheduledEventId of scheduled) {
      write({ activityTaskStartedEventAttributes: { scheduledEventId, identity: 'bench', attempt: 1 } });
      write({
        activityTaskCompletedEventAttributes: { scheduledEventId, result: payloads(packOutcome(outcome)) },
      });
    }
    inputs = calls.map(({ call }): Input => ({ type: 'taskSettled', taskRunId: call.task_run_id, outcome }));
    if (machine.status === 'completed')
      write({ workflowExecutionCompletedEventAttributes: { workflowTaskCompletedEventId: completed } });
  }
  fs.writeSync(stream, '\n]}\n');
  fs.closeSync(stream);
  return id;
}

export async function benchHistory(): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bench-'));
  try {
    for (const wanted of [1_000, 10_000, 50_000]) await exportOnce(folder, wanted);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function exportOnce(folder: string, wanted: number): Promise<void> {
  const file = path.join(folder, `${wanted}.json`);
  const size = writeHistory(file, wanted);
  const megabytes = fs.statSync(file).size / 2 ** 20;
  const derivation = new Derivation();
  const started = performance.now();
  const before = process.cpuUsage();
  let count = 0;
  let bytes = 0;
  let peak = 0;
  for await (const events of eventStream(historyFile(file), derivation)) {
    count += events.length;
    for (const event of events) bytes += JSON.stringify(event).length + 1;
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  }
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  if (derivation.divergence) throw new Error(derivation.divergence.message);
  if (derivation.state.status !== 'completed') throw new Error(`ended as ${derivation.state.status}`);
  console.log(
    `  ${size} history events (${megabytes.toFixed(1)} MiB) → ${count} events (${(bytes / 2 ** 20).toFixed(1)} MiB) ` +
      `in ${Math.round(ms)} ms (${Math.round((user + system) / 1000)} ms of CPU), heap at most ${Math.round(peak / 2 ** 20)} MiB`,
  );
}
