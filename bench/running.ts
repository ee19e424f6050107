/**
 * Ten readers of an execution that goes on: a loop of noops of so many events, and behind it one that waits a fifth of a second
 * again and again. Temporal, workers, projection and facade are processes of their own. While the loop is derived for the first time,
 * `DERIVING` counts as an answer.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withFleet } from '../test/chaos/with-fleet';
import { until } from '../test/support/until';
import { Gauge } from './load/gauge';
import { post } from './processes';

/** Of an iteration of a noop. */
const EVENTS = 5;
const READERS = 10;
const PATHS = [
  '/status',
  '/progress',
  '/state',
  '/graph',
  '?page_size=100',
  '/events?page_size=1000',
  '/events?page_size=10000',
  '/explanation?after=0',
  '/moment',
];
const LIMIT_MS = 600_000;

const source = (iterations: number): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: going, path: bench/going}
workflow:
- step: start
  loop: {in: "{{ range(${iterations}) | list }}", iterator: i}
  tool: {kind: noop}
  next: {arcs: [{step: ticks, when: "{{ event.name == 'loop.done' }}"}]}
- step: ticks
  loop: {in: "{{ range(10000) | list }}", iterator: i, spec: {mode: sequential}}
  tool: {kind: wait, for: 200ms}
`;

/** @param events of the loop of noops */
export async function benchRunning(events: number, seconds: number): Promise<void> {
  await withFleet({ say: (line) => console.error(`  ${line}`) }, async (fleet) => {
    const [facade] = fleet.facades as [string];
    await until(() => post(facade, '/api/catalog/register', { content: source(events / EVENTS) }), LIMIT_MS);
    const started = await post(facade, '/api/execute', { path: 'bench/going' }, randomUUID());
    const run = `${facade}/api/executions/${String(started['execution_id'])}`;
    console.log(`an execution of ${events} events, while they happen:`);
    let isThere = false;
    const there = until(
      async () => (await answer(`${run}/status`)).body['current_step'] === 'ticks',
      LIMIT_MS,
    ).then(() => (isThere = true));
    await read(run, fleet.members, () => isThere);
    await there;
    console.log('and when it has come to the waits behind:');
    const end = performance.now() + seconds * 1000;
    await read(run, fleet.members, () => performance.now() > end);
    await post(facade, `/api/executions/${String(started['execution_id'])}/cancel`, {});
  });
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly ms: number;
}

async function answer(url: string): Promise<Answer> {
  const began = performance.now();
  const response = await fetch(url);
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, ms: performance.now() - began };
}

async function read(
  run: string,
  members: ConstructorParameters<typeof Gauge>[0],
  isOver: () => boolean,
): Promise<void> {
  const gauge = new Gauge(members);
  const times = new Map<string, { whole: number[]; deriving: number; refused: number }>();
  const note = (path: string, { status, ms }: Pick<Answer, 'status' | 'ms'>): void => {
    const of = times.get(path) ?? { whole: [], deriving: 0, refused: 0 };
    times.set(path, of);
    of.whole.push(ms);
    if (status === 202) of.deriving++;
    if (status >= 400) of.refused++;
  };
  const reader = async (_: unknown, n: number): Promise<void> => {
    for (let turn = n; !isOver(); turn++) {
      const path = PATHS[turn % PATHS.length]!;
      note(path, await answer(`${run}${path}`));
    }
  };
  const health = (async () => {
    while (!isOver()) {
      note('health', await answer(`${new URL(run).origin}/api/health`));
      await sleep(20);
    }
  })();
  await Promise.all([health, ...Array.from({ length: READERS }, reader)]);
  for (const [path, { whole, deriving, refused }] of times) {
    const sorted = whole.sort((a, b) => a - b);
    const at = (share: number): string =>
      sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(0).padStart(6);
    const words = `${deriving > 0 ? `; ${deriving} DERIVING` : ''}${refused > 0 ? `; ${refused} REFUSED` : ''}`;
    console.log(
      `  ${path.padEnd(26)} median ${at(0.5)} ms, p99 ${at(0.99)}, most ${at(1)} of ${sorted.length}${words}`,
    );
  }
  for (const [name, { before, most, p99, longest }] of Object.entries(await gauge.stop()))
    console.log(
      `  ${name.padEnd(26)} ${before} MiB before, ${most} at most; event loop p99 ${p99} ms, longest ${longest}`,
    );
}
