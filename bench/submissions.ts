/**
 * 500 submissions per minute through REST, for NOETL_BENCH_MINUTES (5): none may be lost, the 99th percentile stays
 * below ten times the median, and killing a facade half-way creates no duplicates of requests that clients repeat
 * with the same Idempotency-Key (issue 9). Needs a build; starts all it needs.
 */
import { type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { benchPlace } from './place';
import { executionIdOf } from '../src/temporal/client';
import { command, post, ready } from './processes';

const PER_MINUTE = 500;
const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: submitted, path: bench/submitted}
workload: {n: 0}
workflow:
- step: start
  tool: {kind: noop, input: {n: "{{ workload.n }}"}}
`;

interface Submitted {
  readonly id: string;
  /** From the due time of the request to its response, in milliseconds. */
  readonly ms: number;
  readonly tries: number;
}

export async function benchSubmissions(): Promise<void> {
  const minutes = Number(process.env['NOETL_BENCH_MINUTES'] ?? 5);
  const place = await benchPlace();
  const { server, port, url, env } = place;
  const serve = (): ChildProcess =>
    command(['serve', '--no-auth', '--rate-limit', '0', '--port', String(port)], {
      ...env,
      NOETL_LOG_LEVEL: 'warn',
    });
  let facade = serve();
  const worker = command(['worker', '--workflows'], env);
  try {
    await ready(url);
    await post(url, '/api/catalog/register', { content: PLAYBOOK });
    for (let n = 0; n < 20; n += 1) await submit(url, -n);
    const quiet = await submissions(url, minutes);
    report('undisturbed', quiet, '; aim below 10×');
    const disturbed = submissions(url, minutes);
    await sleep((minutes * 60_000) / 2);
    facade.kill('SIGKILL');
    const killed = performance.now();
    facade = serve();
    await ready(url);
    console.log(`  facade killed and back after ${((performance.now() - killed) / 1000).toFixed(1)} s`);
    const answered = await disturbed;
    report('facade killed and restarted', answered);
    await account(server.client, [...quiet, ...answered], 20);
  } finally {
    facade.kill();
    worker.kill();
    await place.stop();
  }
}

/** One every 120 ms, whether or not earlier ones have been answered. */
async function submissions(url: string, minutes: number): Promise<Submitted[]> {
  const pause = 60_000 / PER_MINUTE;
  const begin = performance.now();
  const all: Promise<Submitted>[] = [];
  for (let n = 0; n < minutes * PER_MINUTE; n += 1) {
    const due = begin + n * pause;
    await sleep(Math.max(0, due - performance.now()));
    all.push(submit(url, n, due));
  }
  return await Promise.all(all);
}

/** Repeats the request until it is answered, with the same key. */
async function submit(url: string, n: number, due = performance.now()): Promise<Submitted> {
  const key = randomUUID();
  for (let tries = 1; ; tries += 1) {
    const answer = await post(url, '/api/execute', { path: 'bench/submitted', workload: { n } }, key).catch(
      () => undefined,
    );
    if (answer) return { id: String(answer['execution_id']), ms: performance.now() - due, tries };
    await sleep(200);
  }
}

/**
 * If a facade was killed, the slowest responses measure its downtime: the target applies to a facade that is
 * available.
 */
function report(title: string, answered: readonly Submitted[], aim = ''): void {
  const times = answered.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))]!;
  const repeated = answered.filter(({ tries }) => tries > 1).length;
  console.log(
    `  ${title}: ${answered.length} submissions, ${repeated} repeated; p50 ${at(0.5).toFixed(1)} ms, ` +
      `p99 ${at(0.99).toFixed(1)} ms (${(at(0.99) / at(0.5)).toFixed(1)}×${aim}), max ${at(1).toFixed(1)} ms`,
  );
}

/** Checks Temporal: each submission exactly once, nothing else, and all completed. */
async function account(client: Client, answered: readonly Submitted[], warmUp: number): Promise<void> {
  const query = `NoetlPlaybook = 'bench/submitted'`;
  const completed = `${query} AND ExecutionStatus = 'Completed'`;
  const expected = answered.length + warmUp;
  for (let waited = 0; waited < 120; waited += 1) {
    if ((await client.workflow.count(completed)).count >= expected) break;
    await sleep(1000);
  }
  const known = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query })) known.add(executionIdOf(workflowId)!);
  const lost = answered.filter(({ id }) => !known.has(id)).length;
  const { count } = await client.workflow.count(completed);
  console.log(`  executions ${known.size}, of ${expected} submissions; completed ${count}`);
  console.log(`  lost ${lost}, duplicates ${known.size - expected + lost}`);
  if (lost > 0 || known.size !== expected || count !== expected) process.exitCode = 1;
}
