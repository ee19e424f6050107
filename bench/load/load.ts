/**
 * `npm run bench -- load [--only NAME,…] [--scale 0.1] [--json FILE]`: workloads at the size of the largest
 * installations we know of, on processes of their own: what each needs of memory, and how long its event loop is held
 * up. Exit code 1 if an execution did not end as it should.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { workflowId } from '../../src/language/plan';
import { type Fleet } from '../../test/chaos/fleet';
import { type Target } from '../../test/chaos/target';
import { withClient, withFleet } from '../../test/chaos/with-fleet';
import { until } from '../../test/support/until';
import { post } from '../processes';
import { Gauge, type Load } from './gauge';
import { type Workload, workloads } from './workloads';

const AT_ONCE = 16;
const LIMIT_MS = 1_800_000;
const INSISTING_MS = 120_000;
const RESULTS_MIB = 4096;

interface Measured {
  readonly workload: string;
  readonly executions: number;
  readonly seconds: number;
  readonly wrong?: string;
  readonly processes: Readonly<Record<string, Load>>;
}

export async function benchLoad(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, scale: { type: 'string' }, json: { type: 'string' } },
  });
  const only = values.only?.split(',');
  const chosen = workloads(Number(values.scale ?? 1)).filter(({ name }) => !only || only.includes(name));
  const all: Measured[] = [];
  await withFleet({ say: (line) => console.error(`  ${line}`), resultsMiB: RESULTS_MIB }, (fleet, target) =>
    withClient(fleet, async (client) => {
      for (const workload of chosen) {
        const measured = await measure(workload, { fleet, target, client });
        all.push(measured);
        print(measured);
        if (values.json) fs.writeFileSync(values.json, JSON.stringify(all, null, 1));
      }
    }),
  );
  if (all.some(({ wrong }) => wrong !== undefined)) process.exitCode = 1;
}

interface Around {
  readonly fleet: Fleet;
  readonly target: Target;
  readonly client: Client;
}

async function measure(workload: Workload, { fleet, target, client }: Around): Promise<Measured> {
  const [facade] = fleet.facades as [string];
  const { name, executions, yaml, held } = workload;
  const content = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${name}, path: load/${name}}\nworkload: {target: null}\n${yaml}\n`;
  await insisted(facade, '/api/catalog/register', { content });
  const gauge = new Gauge(fleet.members);
  const began = performance.now();
  const body = { path: `load/${name}`, workload: { target: target.url } };
  const ids = await each(executions, async () =>
    String((await insisted(facade, '/api/execute', body, randomUUID()))['execution_id']),
  );
  if (held)
    await each(ids.length, (index) =>
      insisted(facade, '/api/events', { execution_id: ids[index], name: 'go', event_id: `go-${ids[index]}` }),
    );
  const wrong = (await each(ids.length, (index) => endOf(client, ids[index]!, workload.ends))).find(Boolean);
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return { workload: name, executions, seconds, ...(wrong && { wrong }), processes: await gauge.stop() };
}

/** Asked again when nobody answers in time: an overloaded facade is measured, not the end of the measurement. */
async function insisted(
  ...[url, route, body, key]: Parameters<typeof post>
): Promise<Record<string, unknown>> {
  return await until(() => post(url, route, body, key), INSISTING_MS);
}

/** What is wrong with its end, if anything. */
async function endOf(client: Client, id: string, expected: unknown): Promise<string | undefined> {
  const ended = await Promise.race([resultOf(client, id), sleep(LIMIT_MS, 'not within half an hour')]);
  return JSON.stringify(ended) === JSON.stringify(expected)
    ? undefined
    : `${id}: ${JSON.stringify(ended)?.slice(0, 200)}, not ${JSON.stringify(expected)}`;
}

async function resultOf(client: Client, id: string): Promise<unknown> {
  try {
    return ((await client.workflow.getHandle(workflowId(id)).result()) as { result: unknown }).result;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { type, message } = error.cause as { type?: string; message?: string };
    return type ?? message;
  }
}

/** A few at a time, in order. */
async function each<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let index = next++; index < count; index = next++) done[index] = await work(index);
    }),
  );
  return done;
}

function print({ workload, executions, seconds, wrong, processes }: Measured): void {
  console.log(`\n  ${workload}: ${executions} executions, ${seconds} s${wrong ? `; WRONG: ${wrong}` : ''}`);
  console.log('    process             MiB before   MiB most   loop p99 ms   loop most ms');
  for (const [name, { before, most, p99, longest }] of Object.entries(processes))
    console.log(
      `    ${name.padEnd(18)}${[before, most, p99, longest].map((value, index) => String(value ?? '').padStart(index < 2 ? 11 : 14)).join('')}`,
    );
}
