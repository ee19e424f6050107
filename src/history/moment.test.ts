import fs from 'node:fs';
import path from 'node:path';
import { loopHistory } from '../../test/support/long-history';
import { Derivation } from './derivation';
import { type CanonicalEvent } from './events';
import { type HistoryEvent } from './event';
import { historyFile } from './file';
import { KeyframeWriter } from './keyframes';
import { type Moment } from './moment';

const HISTORIES = path.resolve(__dirname, '../../test/histories/0.1.0');

interface Recorded {
  readonly keyframes: KeyframeWriter;
  readonly events: readonly CanonicalEvent[];
  readonly derivation: Derivation;
}

async function derived(pages: AsyncIterable<readonly HistoryEvent[]>): Promise<Recorded> {
  const keyframes = new KeyframeWriter(0, 100);
  const derivation = new Derivation({ bodies: true, recorder: keyframes });
  const events: CanonicalEvent[] = [];
  for await (const page of pages) events.push(...(await derivation.take(page)));
  return { keyframes, events, derivation };
}

const recorded = (name: string): Promise<Recorded> => derived(historyFile(path.join(HISTORIES, name)));

interface Seen {
  readonly status: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly fired: Readonly<Record<string, readonly number[]>>;
  readonly waits: readonly string[];
  readonly steps: Readonly<Record<string, SeenStep>>;
}

interface SeenStep {
  runs: number;
  open: number;
  look: string;
  loop?: { done: number; failed: number };
}

const ENDED: Readonly<Record<string, string>> = { success: 'COMPLETED', cancelled: 'CANCELLED' };

/** What events alone say: the oracle. */
function toldBy(events: readonly CanonicalEvent[]): Seen {
  const steps: Record<string, SeenStep> = {};
  const fired: Record<string, number[]> = {};
  const tokens = new Map<string, string>();
  const waits = new Set<string>();
  let status = 'RUNNING';
  const stepOf = (name: string): SeenStep => (steps[name] ??= { runs: 0, open: 0, look: 'waiting' });
  for (const event of events) {
    const { event_type: type, entity_id: id, task_run_id: task = '', step_run_id: run, payload } = event;
    const [about, what] = [type.slice(0, type.indexOf('.')), type.slice(type.indexOf('.') + 1)];
    if (type === 'token.created') tokens.set(id, String(payload['step']));
    if (type === 'token.ended') tokens.delete(id);
    if (type === 'token.merged')
      for (const merged of payload['merged'] as string[]) if (merged !== id) tokens.delete(merged);
    if (type === 'step.started') {
      stepOf(id).runs += 1;
      stepOf(id).open += 1;
      delete stepOf(id).loop;
    } else if (about === 'step' && /^(done|failed|skipped)$/.test(what)) {
      tokens.delete(event.parent_id ?? '');
      stepOf(id).look = what;
      if ('duration_ms' in payload) stepOf(id).open -= 1;
    }
    if (about === 'loop' && run?.replace(/#\d+$/, '') === id) {
      const loop = (stepOf(id).loop ??= { done: 0, failed: 0 });
      if (what === 'iteration.done') loop.done += 1;
      if (what === 'iteration.failed' && event.status === 'error') loop.failed += 1;
    }
    for (const arc of type === 'next.selected' ? (payload['arcs'] as number[]) : []) {
      const counts = (fired[id] ??= []);
      for (let index = 0; index <= arc; index++) counts[index] ??= 0;
      counts[arc]! += 1;
    }
    if (type === 'task.started' && payload['kind'] === 'wait') waits.add(task);
    if (type === 'task.done' || type === 'task.failed') waits.delete(task);
    if (type === 'playbook.paused') status = 'PAUSED';
    if (type === 'playbook.resumed') status = 'RUNNING';
    if (type === 'playbook.cancel.requested') status = 'CANCELLING';
    if (type === 'workflow.finished') {
      waits.clear();
      status = ENDED[event.status] ?? 'FAILED';
    }
  }
  for (const step of tokens.values()) stepOf(step);
  for (const [name, step] of Object.entries(steps))
    if (step.open > 0) step.look = 'open';
    else if ([...tokens.values()].includes(name)) step.look = 'queued';
  return { status, tokens: Object.fromEntries(tokens), fired, waits: [...waits].sort(), steps };
}

function seenIn({ status, steps, tokens, fired, waits }: Moment): Seen {
  const known = steps.map(([step, { look, runs, open, loop }]): [string, SeenStep] => {
    const counts = loop && { done: loop.done, failed: loop.failed };
    return [step, { runs, open, look: open > 0 ? 'open' : look, ...(counts && { loop: counts }) }];
  });
  return {
    status,
    tokens: Object.fromEntries(tokens),
    fired: Object.fromEntries(fired),
    waits: waits.map(([id]) => id).sort(),
    steps: Object.fromEntries(known),
  };
}

/** Of events that one workflow task led to, the last. */
function isLastOfTask(event: CanonicalEvent, next: CanonicalEvent | undefined): boolean {
  const task = ({ event_id: id }: CanonicalEvent): string => id.slice(0, id.lastIndexOf('/'));
  return !next || task(event) !== task(next);
}

// One of them needs the store of its results.
const files = fs
  .readdirSync(HISTORIES)
  .filter((name) => name.endsWith('.json') && name !== 'stored_result.json');

test.each(files)('whenever %s stands still, its moment is what its events say', async (name) => {
  const { events, keyframes } = await recorded(name);
  let compared = 0;
  for (const [index, event] of events.entries()) {
    if (!isLastOfTask(event, events[index + 1])) continue;
    const moment = await keyframes.momentAt(event.seq);
    const told = toldBy(events.slice(0, index + 1));
    expect({ seq: event.seq, ...seenIn(moment!) }).toEqual({ seq: event.seq, ...told });
    compared++;
  }
  expect(compared).toBeGreaterThan(0);
});

test('at the end, variables and workload are those of the engine', async () => {
  const { events, keyframes, derivation } = await recorded('streaming_pagination.json');
  const end = await keyframes.momentAt(events.length);
  expect(end).toMatchObject({ variables: derivation.state.ctx, workload: derivation.state.workload });
  expect(await keyframes.momentAt(0)).toBeUndefined();
});

test('the end of a step, and of an iteration, counts from its event on', async () => {
  const { events, keyframes } = await recorded('loop_elsewhere.json');
  let done = 0;
  for (const { event_type: type, seq, entity_id: step } of events) {
    const isOfLoop = type === 'loop.iteration.done' && step === 'measure';
    if (isOfLoop) done++;
    if (!isOfLoop && type !== 'step.done') continue;
    const { steps } = (await keyframes.momentAt(seq))!;
    const stand = new Map(steps).get(step)!;
    if (type === 'step.done') expect(stand).toMatchObject({ look: 'done', open: 0 });
    else expect(stand.loop).toMatchObject({ total: 40, done });
  }
  expect(done).toBe(40);
});

test('a wait is there from the start of its task to the event that it waits for', async () => {
  const { events, keyframes } = await recorded('wait_event.json');
  const came = events.find((event) => event.event_type === 'external.received')!.seq;
  const waiting = (await keyframes.momentAt(came - 1))!;
  expect(new Map(waiting.steps).get('approval')).toMatchObject({ look: 'asleep', tasks: 1, waits: 1 });
  expect(waiting.waits).toMatchObject([[expect.any(String), { step: 'approval', event: 'approved' }]]);
  const end = (await keyframes.momentAt(events.length))!;
  expect(end.waits).toEqual([]);
  expect(new Map(end.steps).get('approval')).toMatchObject({ look: 'done' });
});

test('of many events fewer keyframes are kept, and every moment still follows', async () => {
  const history = loopHistory(8000);
  const pages = async function* (): AsyncGenerator<readonly HistoryEvent[]> {
    yield history;
  };
  const { events, keyframes } = await derived(pages());
  expect(events.length).toBeGreaterThan(30_000);
  let done = 0;
  for (const { event_type: type, seq } of events) {
    if (type === 'loop.iteration.done') done++;
    if (seq % 2503 !== 0) continue;
    expect(new Map((await keyframes.momentAt(seq))!.steps).get('start')!.loop).toMatchObject({ done });
  }
});
