/**
 * The state derived from history is the state the run itself has: over random plans on a real server, with waits,
 * sub-playbooks and sinks, while clients, operators and crashes meddle with them.
 *
 * DIFFERENTIAL_PLANS (default 4, nightly 12; 200 by hand) and DIFFERENTIAL_SEED choose how many and which.
 */
import fs from 'node:fs';
import path from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import fc from 'fast-check';
import { type Tool } from '../../activities/framework/tool/tool';
import { type State } from '../../src/engine/machine';
import { nextRandom, seedFrom } from '../../src/engine/machine/state/random';
import { Derivation, type HistoryEvent, recordedExecution } from '../../src/history';
import { type Plan } from '../../src/language/plan';
import { historyPages } from '../../src/temporal/client';
import { SETTLED } from '../support/check-executions';
import { checkEvents } from '../support/event-checks';
import { failWorkflowTask, meddle, pause } from '../support/meddler';
import { hurried } from '../support/hurried';
import { playbooksOf } from '../support/playbooks';
import { answer, plans } from '../support/random-plans';
import { isNightly } from '../support/sampled';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';

const COUNT = Number(process.env['DIFFERENTIAL_PLANS'] ?? (isNightly ? 12 : 4));
const SEED = Number(process.env['DIFFERENTIAL_SEED'] ?? 7);
const AT_ONCE = 12;
/** On average; each takes the workers away for some seconds. */
const RESTART_EVERY_MS = 5000;
const PLANS = fc.sample(plans({ racy: true }), { numRuns: COUNT, seed: SEED }).map(hurried);

/** The tools of all tasks: they answer by what they are asked, after a while. */
const tools = ['python', 'postgres'].map((kind): Tool => ({
  kind,
  run: async (call) => {
    await pause(Math.random() * 80);
    return answer(call);
  },
}));

const child = playbookOf(`
- step: start
  tool: [{name: a, kind: python, code: x}, {name: b, kind: wait, for: 0.1}, {name: c, kind: playbook, path: nowhere}]`);

let stack: Stack;
beforeAll(async () => {
  const config = ['limit.historyCount.suggestContinueAsNew=40'];
  stack = await startStack({
    kinds: tools.map(({ kind }) => kind),
    extensions: tools,
    playbooks: playbooksOf({ child }),
    config,
  });
});
afterAll(async () => await stack?.stop());

interface Told {
  readonly deeds: readonly string[];
  readonly continuations: number;
  readonly end: string;
}

test(
  `what ${COUNT} random runs say of themselves is what their histories say`,
  async () => {
    const told: Told[] = [];
    const queue = PLANS.map((plan, index) => ({ plan, index }));
    let over = false;
    const crashes = crashWorkers(() => over);
    const differences: string[] = [];
    const some = Array.from({ length: AT_ONCE }, async () => {
      for (let next = queue.shift(); next; next = queue.shift())
        await runOne(next.plan, next.index).then(
          (one) => {
            told.push(one);
            if (COUNT > 20) process.stderr.write(`${told.length} of ${COUNT}: ${JSON.stringify(one)}\n`);
          },
          // All of them, and none under way any more when the server stops.
          (error: unknown) => differences.push(error instanceof Error ? error.message : String(error)),
        );
    });
    await Promise.all(some).finally(() => (over = true));
    const { restarts, failed } = await crashes;
    const count = (deed: string): number => told.filter(({ deeds }) => deeds.includes(deed)).length;
    const ends = [...new Set(told.map(({ end }) => end))].map(
      (end) => `${end} ${told.filter((one) => one.end === end).length}`,
    );
    process.stderr.write(
      `differential: ${told.length} runs (${ends.join(', ')}), ${told.filter(({ continuations }) => continuations > 0).length} continued as new, ` +
        `${count('reset')} reset, ${count('update')} updated, ${count('signal')} signalled, ${restarts} worker restarts, ${failed} failed workflow tasks\n`,
    );
    expect(differences).toEqual([]);
    expect(told).toHaveLength(COUNT);
  },
  60_000 + COUNT * 15_000,
);

async function runOne(plan: Plan, index: number): Promise<Told> {
  const handle = await stack.start(plan);
  const seed = seedFrom(`${SEED}/${index}`);
  const deeds = await meddle(stack.client, handle.workflowId, seed);
  await ended(handle.workflowId);
  const latest = stack.client.workflow.getHandle(handle.workflowId);
  const isSettled = SETTLED.includes((await latest.describe()).status.name);
  const own = isSettled ? await patiently(() => latest.query<State>('state')) : undefined;
  const pages = await collected(historyPages(stack.client, handle.workflowId));
  const { state, events, closed, divergence } = await recordedExecution(from(pages));
  const about = { seed: SEED, plan: index, execution: handle.workflowId, deeds };
  keep(handle.workflowId, pages.flat());
  expect({ ...about, divergence, violations: checkEvents(events, state.status === 'completed') }).toEqual({
    ...about,
    divergence: undefined,
    violations: [],
  });
  if (isSettled) expect({ ...about, state }).toEqual({ ...about, state: own });
  expect(new Set(events.map((event) => event.event_id)).size).toBe(events.length);
  // Told at any moment of its life, what was told stays.
  const before = await recordedUpTo(pages.flat(), nextRandom(seed));
  expect({ ...about, before }).toEqual({ ...about, before: events.slice(0, before.length) });
  return { deeds, continuations: state.continuations ?? 0, end: closed?.status ?? 'none' };
}

/** For who looks into a difference: DIFFERENTIAL_KEEP names a folder for the histories. */
function keep(name: string, events: readonly HistoryEvent[]): void {
  const folder = process.env['DIFFERENTIAL_KEEP'];
  if (folder) fs.writeFileSync(path.join(folder, `${name}.json`), historyToJSON({ events: [...events] }));
}

/** Waits for the last run of the chain, resets included. */
async function ended(workflowId: string): Promise<void> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline;) {
    const handle = stack.client.workflow.getHandle(workflowId);
    await handle.result().catch(() => undefined);
    if ((await handle.describe()).status.name !== 'RUNNING') return;
  }
  throw new Error(`${workflowId} never came to an end`);
}

/** A worker may just be away. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === 5) throw error;
      await pause(1000);
    }
  }
}

async function collected(
  pages: AsyncIterable<readonly HistoryEvent[]>,
): Promise<(readonly HistoryEvent[])[]> {
  const all: (readonly HistoryEvent[])[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

async function* from(pages: readonly (readonly HistoryEvent[])[]): AsyncGenerator<readonly HistoryEvent[]> {
  yield* pages;
}

/** What somebody is told who asks after a part of it, at the beginning of any workflow task. */
async function recordedUpTo(history: readonly HistoryEvent[], where: number): Promise<unknown[]> {
  const places = history.flatMap((event, index) =>
    event.workflowTaskScheduledEventAttributes ? [index] : [],
  );
  const end = places[Math.floor(where * places.length)] ?? 0;
  return await new Derivation().take(history.slice(0, end));
}

/** Takes the workers away now and then, and lets one with a bug work meanwhile. */
async function crashWorkers(isOver: () => boolean): Promise<{ restarts: number; failed: number }> {
  let restarts = 0;
  let failed = 0;
  const { connection, namespace } = stack.server;
  while (!isOver()) {
    for (const at = Date.now() + RESTART_EVERY_MS * Math.random() * 2; Date.now() < at && !isOver();)
      await pause(100);
    if (isOver()) break;
    await stack.restartWorkers(async () => {
      if (await failWorkflowTask(connection, namespace)) failed++;
    });
    restarts++;
  }
  return { restarts, failed };
}
