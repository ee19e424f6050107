/**
 * Compares our runtime with the same work written by hand on the SDK, and with any other engine given as a command:
 * they alternate in one run, on the same server and HTTP target. The results are ratios of medians, because
 * machines are noisy.
 *
 * `npm run bench [-- --json] [--only NAME,…] [--rounds N] [--engine NAME=COMMAND]`; TEMPORAL_ADDRESS for a server
 * other than a separate dev server. A command gets WORKLOAD and TARGET in its environment. A complete run ends with
 * the scenario of `rate`, is kept in bench/results, and writes docs/benchmarks.md.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Client } from '@temporalio/client';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { workflowArguments } from '../../src/storage/payloads';
import { compact, WORKFLOW_TASK_QUEUE, WORKFLOW_TYPE, workflowId } from '../../src/language/plan';
import { newExecutionId } from '../../src/temporal/client';
import { activities } from '../floor/activities';
import { benchRate } from '../rate';
import { writePage } from './page';
import { keepRun, type Row, type Spread } from './results';
import { openSetting, planOf } from './setting';
import { type Workload, WORKLOADS } from './workloads';

const ROUNDS = 5;

interface Options {
  readonly json: boolean;
  readonly only?: readonly string[];
  readonly rounds?: number;
  readonly engines: readonly (readonly [name: string, command: string])[];
}

interface Measured {
  readonly ms: number;
  /** Of this process: client and worker, all threads. */
  readonly cpuMs: number;
  readonly bytes: number;
}

/** @throws ERR_PARSE_ARGS_… for an option that does not exist */
function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      engine: { type: 'string', multiple: true, default: [] },
    },
  });
  const { json, only, rounds, engine } = values;
  return {
    json,
    ...(only !== undefined && { only: only.split(',') }),
    ...(rounds !== undefined && { rounds: Number(rounds) }),
    engines: engine.map((given) => {
      const cut = given.indexOf('=');
      return [given.slice(0, cut), given.slice(cut + 1)] as const;
    }),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [lower, upper] = [sorted[(values.length - 1) >> 1]!, sorted[values.length >> 1]!];
  return (lower + upper) / 2;
}

function spreadOf(ratios: readonly number[]): Spread {
  return [Math.min(...ratios), median(ratios), Math.max(...ratios)].map((one) =>
    Number(one.toFixed(2)),
  ) as unknown as Spread;
}

async function timed(client: Client, n: number, start: () => Promise<string>): Promise<Measured> {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const ids = await Promise.all(Array.from({ length: n }, start));
  await Promise.all(ids.map((id) => client.workflow.getHandle(id).result()));
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  const { historySize = 0 } = await client.workflow.getHandle(ids[0]!).describe();
  return { ms, cpuMs: (user + system) / 1000, bytes: historySize };
}

export async function benchCompare(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  const say = (line: string): void => (options.json ? console.error(line) : console.log(line));
  const workloads = await compareAll(options, say);
  const rates = options.only ? [] : await benchRate(say);
  if (options.json) console.log(JSON.stringify({ workloads, rates }, null, 2));
  if (options.only) return;
  keepRun(process.env['TEMPORAL_ADDRESS'] ? 'cluster' : 'dev-server', { workloads, rates });
  writePage();
}

async function compareAll(options: Options, say: (line: string) => void): Promise<Row[]> {
  const setting = await openSetting(['http', 'python', 'local']);
  const { client, connection, target } = setting;
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: require.resolve('../floor/workflows') });
  const floor = await Promise.all([
    Worker.create({ connection, taskQueue: 'floor-workflows', workflowBundle }),
    Worker.create({ connection, taskQueue: 'floor-http', activities }),
  ]);
  const running = Promise.all(floor.map((worker) => worker.run()));
  const rows: Row[] = [];
  try {
    for (const workload of WORKLOADS) {
      if (options.only && !options.only.includes(workload.name)) continue;
      const row = await compare(workload, { client, url: target.url, options });
      rows.push(row);
      say(lineOf(row));
    }
    return rows;
  } finally {
    for (const worker of floor) worker.shutdown();
    await running;
    await setting.close();
  }
}

async function compare(
  { name, yaml, floor, executions = 1, bar, rounds = ROUNDS }: Workload,
  { client, url, options }: { client: Client; url: string; options: Options },
): Promise<Row> {
  const plan = planOf(yaml);
  const start = async (type: string, taskQueue: string, args: unknown[]): Promise<string> => {
    const id = workflowId(newExecutionId());
    // As whoever starts an execution does.
    const priority = type === WORKFLOW_TYPE ? { priority: { fairnessKey: id } } : {};
    const handle = await client.workflow.start(type, { taskQueue, workflowId: id, args, ...priority });
    return handle.workflowId;
  };
  const ours: Measured[] = [];
  const hand: Measured[] = [];
  const others = options.engines.map(([engine, command]) => ({ engine, command, ms: [] as number[] }));
  // Alternating; the first round of each is discarded.
  for (let round = 0; round <= (options.rounds ?? rounds); round++) {
    if (floor) {
      const [type, ...args] = floor;
      hand.push(await timed(client, executions, () => start(type, 'floor-workflows', [url, ...args])));
    }
    const args = (): unknown[] => workflowArguments({ payload: { url }, plan });
    ours.push(await timed(client, executions, () => start(WORKFLOW_TYPE, WORKFLOW_TASK_QUEUE, args())));
    for (const { command, ms } of others) {
      const begun = performance.now();
      execFileSync('/bin/sh', ['-c', command], {
        env: { ...process.env, WORKLOAD: name, TARGET: url },
        stdio: 'ignore',
      });
      ms.push(performance.now() - begun);
    }
  }
  const of = (runs: readonly Measured[], field: keyof Measured): number =>
    median(runs.slice(1).map((run) => run[field]));
  const round = (value: number, digits = 0): number => Number(value.toFixed(digits));
  const beside = floor && {
    floor_ms: round(of(hand, 'ms'), 1),
    ratio: round(of(ours, 'ms') / of(hand, 'ms'), 2),
    floor_bytes: round(of(hand, 'bytes')),
    bytes_ratio: round(of(ours, 'bytes') / of(hand, 'bytes'), 2),
    cpu_ratio: round(of(ours, 'cpuMs') / of(hand, 'cpuMs'), 2),
  };
  // Of each pair: what disturbs the machine disturbs both of its halves.
  const pairs = (field: keyof Measured): Spread | undefined =>
    floor && spreadOf(ours.slice(1).map((run, index) => run[field] / hand[index + 1]![field]));
  return {
    name,
    ours_ms: round(of(ours, 'ms'), 1),
    ours_bytes: round(of(ours, 'bytes')),
    ...beside,
    ...compact({ pairs: pairs('ms'), cpu_pairs: pairs('cpuMs') }),
    ...(bar !== undefined && { bar }),
    ...(others.length > 0 && {
      others: Object.fromEntries(others.map(({ engine, ms }) => [engine, round(median(ms.slice(1)), 1)])),
    }),
  };
}

function lineOf({ name, ours_ms, floor_ms, bytes_ratio, pairs, cpu_pairs, bar, others }: Row): string {
  const beside =
    pairs === undefined || cpu_pairs === undefined
      ? ''
      : `  by hand ${floor_ms!.toFixed(0).padStart(6)}  ratio ${spreadText(pairs)}  bytes ${bytes_ratio!.toFixed(2)}  CPU ${spreadText(cpu_pairs)}`;
  const more = Object.entries(others ?? {}).map(([engine, ms]) => `  ${engine} ${ms.toFixed(0)}`);
  return `${name.padEnd(26)} ours ${ours_ms.toFixed(0).padStart(6)} ms${beside}${bar === undefined ? '' : `  (bar ${bar})`}${more.join('')}`;
}

function spreadText([least, middle, most]: Spread): string {
  return `${middle.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;
}
