/**
 * What a sandbox costs: tasks of `python`, `shell`, `script` and `duckdb` at each level in turn, in one process, without
 * Temporal.
 * The cost is the difference of the medians. Before a task of DuckDB there is a pause, in which the process for it
 * starts ahead (about 100 ms of processor time); tasks that follow each other faster wait for it.
 *
 * `npm run bench -- sandbox --tasks 200`; exit code 1 if a median costs more than the bar.
 */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LEVELS, type Level } from '../activities/framework/sandbox/level';
import { type Tool, type ToolContext } from '../activities/framework/tool/tool';
import { duckdb } from '../activities/kinds/duckdb/run';
import { python } from '../activities/kinds/python/run';
import { script } from '../activities/kinds/script/run';
import { shell } from '../activities/kinds/shell/run';
import { type JsonObject, type TaskCall } from '../src/language/plan';

const BAR_MS = 15;
const UNCOUNTED = 10;

const FIB = 'def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nresult = fib(10)';
/** A tool, its task, and the milliseconds before each. */
const WORK: readonly (readonly [Tool, JsonObject, number?])[] = [
  [python, { code: FIB }],
  [shell, { cmd: 'true' }],
  [script, { code: 'true' }],
  [duckdb, { command: 'select 42' }, 400],
];

export async function benchSandbox(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { tasks: { type: 'string', default: '200' } } });
  const load = fs.readFileSync('/proc/loadavg', 'utf8').split(' ')[0];
  console.log(`${values.tasks} tasks of each kind and level, alternating; load ${load}; milliseconds`);
  console.log('kind    level     fastest  median  cost of the median');
  for (const [tool, config, pause = 0] of WORK) {
    const times = await alternating({ tool, config, pause }, Number(values.tasks));
    for (const level of LEVELS) {
      const cost = median(times[level]) - median(times.none);
      const columns = [Math.min(...times[level]), median(times[level]), cost].map((ms) =>
        ms.toFixed(1).padStart(8),
      );
      console.log(`${tool.kind.padEnd(7)} ${level.padEnd(8)} ${columns.join('')}`);
      if (cost > BAR_MS) process.exitCode = 1;
    }
    await tool.close?.();
  }
}

interface Work {
  readonly tool: Tool;
  readonly config: JsonObject;
  readonly pause: number;
}

async function alternating({ tool, config, pause }: Work, tasks: number): Promise<Record<Level, number[]>> {
  const times: Record<Level, number[]> = { none: [], standard: [], strict: [] };
  for (let task = 0; task < UNCOUNTED + tasks; task++) {
    for (const level of LEVELS) {
      if (pause > 0) await sleep(pause);
      const begun = performance.now();
      const { error } = await tool.run(callOf(tool.kind, config, level), CONTEXT);
      if (error) throw new Error(error.message);
      if (task >= UNCOUNTED) times[level].push(performance.now() - begun);
    }
  }
  return times;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

function callOf(kind: string, config: JsonObject, sandbox: Level): TaskCall {
  const ids = {
    execution_id: '1',
    task_run_id: 'bench#1',
    step: 'bench',
    task: 'bench',
    idempotency_key: '1/bench',
  };
  return { ...ids, kind, attempt: 1, input: {}, config, timeout: {}, options: { sandbox } };
}

const CONTEXT = {
  signal: new AbortController().signal,
  heartbeat: () => undefined,
} as unknown as ToolContext;
