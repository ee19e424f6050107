/** Executions of people who mean no harm: how long each took, whether it failed, how long its tasks waited. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { type HistoryEvent } from '../../src/history';
import { workflowId } from '../../src/language/plan';
import { post } from './rest';

/** Seconds that an execution waits by itself, and those between two of a lane, in which its author looks at the result. */
const [WAIT_S, PAUSE_S] = [8, 8];
const LIMIT_MS = 180_000;
const WAIT = `- step: rest\n  tool: {kind: wait, for: ${WAIT_S}}\n  next: {arcs: [{step: end}]}`;

const BODIES: Readonly<Record<string, string>> = {
  steps: `- step: start\n  tool: {kind: noop, input: {n: "{{ workload.n + 1 }}"}}\n  next: {arcs: [{step: code}]}
- step: code\n  tool: {kind: python, input: {n: "{{ start.n }}"}, code: "result = {'n': n * 2}"}\n  next: {arcs: [{step: rest}]}
${WAIT}\n- step: end\n  tool: {kind: noop, input: {n: "{{ code.n }}"}}`,
  loop: `- step: start\n  loop: {in: "{{ range(workload.n % 10 + 5) | list }}", iterator: i, spec: {mode: parallel}}\n  tool: {kind: noop, input: {i: "{{ iter.i }}"}}\n  next: {arcs: [{step: rest}]}
${WAIT}\n- step: end\n  tool: {kind: noop, input: {n: "{{ start | length }}"}}`,
  call: `- step: start\n  tool: {kind: playbook, path: honest/steps, input: {n: "{{ workload.n }}"}}\n  next: {arcs: [{step: end}]}
- step: end\n  tool: {kind: noop, input: {n: "{{ start.n }}"}}`,
  shell: `- step: start\n  tool: {kind: shell, cmds: ["echo $NOETL_INPUT_N"], input: {n: "{{ workload.n }}"}}\n  next: {arcs: [{step: rest}]}
${WAIT}\n- step: end\n  tool: {kind: noop, input: {n: "{{ start.stdout | trim | int }}"}}`,
};
/** Work alone, without the waits between. */
const FILLER = `- step: start\n  tool: {kind: noop, input: {n: "{{ workload.n + 1 }}"}}\n  next: {arcs: [{step: code}]}
- step: code\n  tool: {kind: python, input: {n: "{{ start.n }}"}, code: "result = {'n': n * 2}"}\n  next: {arcs: [{step: each}]}
- step: each\n  loop: {in: "{{ range(20) | list }}", iterator: i, spec: {mode: parallel}}\n  tool: {kind: noop, input: {i: "{{ iter.i }}"}}\n  next: {arcs: [{step: end}]}
- step: end\n  tool: {kind: noop, input: {n: "{{ code.n }}"}}`;
const NAMES = Object.keys(BODIES);
/** What the result has to be. */
const RIGHT: Readonly<Record<string, (n: number) => number>> = {
  steps: (n) => (n + 1) * 2,
  filler: (n) => (n + 1) * 2,
  loop: (n) => (n % 10) + 5,
  call: (n) => (n + 1) * 2,
  shell: (n) => n,
};

export interface Honest {
  readonly id: string;
  readonly name: string;
  readonly began: number;
  /** Milliseconds, without what it waited by itself; undefined if it failed. */
  readonly took?: number;
  readonly failed?: string;
}

export async function registerHonest(url: string, token: string): Promise<void> {
  for (const [name, body] of Object.entries({ ...BODIES, filler: FILLER })) {
    const head = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${name}, path: honest/${name}}\nworkload: {n: 0}\nworkflow:\n`;
    await post(url, token, '/api/catalog/register', { content: `${head}${body}\n` });
  }
}

/** One from its request to its end. */
export async function runHonest(
  around: { url: string; token: string; client: Client },
  n: number,
  name = NAMES[n % NAMES.length]!,
): Promise<Honest> {
  const began = performance.now();
  let id = '';
  try {
    const { execution_id } = await post(around.url, around.token, '/api/execute', {
      path: `honest/${name}`,
      workload: { n },
    });
    id = String(execution_id);
    const late = sleep(LIMIT_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`not ended after ${LIMIT_MS / 1000} s`)),
    );
    const { result } = (await Promise.race([
      around.client.workflow.getHandle(workflowId(id)).result(),
      late,
    ])) as { result: { n?: number } };
    if (result.n !== RIGHT[name]!(n)) throw new Error(`result ${JSON.stringify(result)?.slice(0, 200)}`);
    return { id, name, began, took: performance.now() - began - WAIT_S * 1000 };
  } catch (error) {
    return { id, name, began, failed: String((error as { cause?: Error }).cause ?? error).slice(0, 300) };
  }
}

/** As many at once as there are lanes, each with pauses, until `isOver`. */
export async function honestLanes(
  lanes: number,
  isOver: () => boolean,
  run: (n: number) => Promise<Honest>,
): Promise<Honest[]> {
  const all: Honest[] = [];
  let next = 0;
  const lane = async (index: number): Promise<void> => {
    await sleep((index / lanes) * (WAIT_S + PAUSE_S) * 1000);
    while (!isOver()) {
      all.push(await run(next++));
      await sleep(PAUSE_S * 1000);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  return all;
}

export interface QueueWait {
  readonly ms: number;
  readonly what: string;
}

/**
 * The longest time that a task of an execution, of the workflow or of a tool, waited for a worker to take it; or to time
 * out, if none did or the one that took it did not answer.
 */
export async function longestWait(client: Client, id: string): Promise<QueueWait> {
  const { events } = await client.workflow.getHandle(workflowId(id)).fetchHistory();
  const scheduled = new Map<string, { readonly at: number; readonly queue: string }>();
  let longest: QueueWait = { ms: 0, what: '' };
  for (const event of events ?? []) {
    const time = Number(event.eventTime?.seconds ?? 0) * 1000 + (event.eventTime?.nanos ?? 0) / 1e6;
    const due = event.workflowTaskScheduledEventAttributes ?? event.activityTaskScheduledEventAttributes;
    if (due) scheduled.set(String(event.eventId), { at: time, queue: due.taskQueue?.name ?? '' });
    const begun = event.workflowTaskStartedEventAttributes ?? event.workflowTaskTimedOutEventAttributes;
    const since = scheduled.get(
      String(begun?.scheduledEventId ?? event.activityTaskStartedEventAttributes?.scheduledEventId),
    );
    if (!since || time - since.at <= longest.ms) continue;
    const what = `${id}, ${since.queue} at ${new Date(since.at).toISOString().slice(11, 19)}${timedOut(event)}`;
    longest = { ms: time - since.at, what };
  }
  return longest;
}

function timedOut({ workflowTaskTimedOutEventAttributes: timeout }: HistoryEvent): string {
  if (!timeout) return '';
  return Number(timeout.startedEventId ?? 0) > 0 ? ' (taken, not answered)' : ' (not taken)';
}
