/** What a segment tells of an event is what the derivation of the whole history tells. */
import fs from 'node:fs';
import path from 'node:path';
import { loopHistory } from '../../../test/support/long-history';
import { isNightly, someOf } from '../../../test/support/sampled';
import { Derivation } from '../derivation';
import { historyFile } from '../file';
import { type HistoryEvent } from '../event';
import { stateAt } from '../state-at';
import { explainExecution } from '../explain';
import { type CanonicalEvent } from '../events';
import { type Moment } from '../moment';
import { segmentDecisions, KeyframeWriter, momentIn, type Segment, stateIn, unpackSegment } from '.';

const HISTORIES = path.resolve(__dirname, '../../../test/histories/0.1.0');
type Run = readonly (readonly HistoryEvent[])[];

interface Recorded {
  readonly segments: readonly Segment[];
  readonly events: readonly CanonicalEvent[];
  readonly last: number;
}

async function recorded(run: Run, every: number): Promise<Recorded> {
  const recorder = new KeyframeWriter(0, every);
  const derivation = new Derivation({ recorder });
  const segments: Segment[] = [];
  const events: CanonicalEvent[] = [];
  for (const page of run)
    for await (const some of derivation.portions(page)) {
      segments.push(...recorder.upTo(Infinity));
      events.push(...some);
    }
  recorder.cut(derivation.lastSeq);
  segments.push(...recorder.upTo(Infinity));
  return { segments, events, last: derivation.lastSeq };
}

async function* pagesOf(run: Run): AsyncGenerator<readonly HistoryEvent[]> {
  yield* [...run];
}

async function pagesIn(file: string): Promise<Run> {
  const pages: (readonly HistoryEvent[])[] = [];
  for await (const page of historyFile(file)) pages.push(page);
  return pages;
}

/** Without what JSON does not keep. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const rest = (events: readonly CanonicalEvent[], at: number) =>
  async function* (after: number): AsyncGenerator<readonly CanonicalEvent[]> {
    yield await Promise.resolve(events.slice(after, at));
  };

async function momentOf(segment: Segment, at: number, events: readonly CanonicalEvent[]): Promise<Moment> {
  const place = { first: segment.first, last: at };
  return await momentIn(await unpackSegment(segment), place, rest(events, at));
}

async function keyframesOf(run: Run): Promise<KeyframeWriter> {
  const recorder = new KeyframeWriter(0, 100);
  const derivation = new Derivation({ recorder });
  for (const page of run) await derivation.pass(page);
  return recorder;
}

/** Compares at `count` events, evenly spread. */
async function compared(run: Run, every: number, count: number): Promise<void> {
  const { segments, events, last } = await recorded(run, every);
  const inMemory = await keyframesOf(run);
  let end = 0;
  for (const segment of segments) {
    expect(segment.first).toBe(end);
    end = segment.last;
  }
  expect(end).toBe(last);
  for (let n = 1; n <= count; n++) {
    const at = Math.ceil((n * last) / count);
    const segment = segments.find((one) => one.first < at && at <= one.last)!;
    const { state } = await stateAt(pagesOf(run), at, {});
    expect({ at, state: plain(await stateIn(segment, at)) }).toEqual({ at, state: plain(state) });
    const moment = await momentOf(segment, at, events);
    expect({ at, moment: plain(moment) }).toEqual({ at, moment: plain(await inMemory.momentAt(at)) });
  }
  const { state } = await stateAt(pagesOf(run), Infinity, {});
  expect(plain(await stateIn(segments.at(-1)!))).toEqual(plain(state));
}

// One of them needs the store of its results.
const files = fs
  .readdirSync(HISTORIES)
  .filter((name) => name.endsWith('.json') && name !== 'stored_result.json');

test.each(someOf(files, 8))('the recorded history %s, with a keyframe every three events', async (name) => {
  const run = await pagesIn(path.join(HISTORIES, name));
  await compared(run, 3, 60);
  const { segments, events } = await recorded(run, 5);
  const told = [];
  for (const [n, place] of segments.entries()) {
    const rest = (after: number) => Promise.resolve(events.slice(after, place.last));
    const how = { place, selection: { after: place.first }, lines: () => undefined, rest };
    const asked = { ...how, isLast: n === segments.length - 1 };
    told.push(...(await segmentDecisions(await unpackSegment(place), asked)).decisions);
  }
  const { decisions } = await explainExecution(pagesOf(run));
  expect(plain(told)).toEqual(plain(decisions));
});

test('a batch of many thousand events has keyframes in its middle', async () => {
  const run = [loopHistory(3000)];
  const { segments } = await recorded(run, 500);
  expect(segments.length).toBeGreaterThan(25);
  expect(Math.max(...segments.map(({ first, last }) => last - first))).toBeLessThan(520);
  await compared(run, 500, isNightly ? 50 : 15);
});

/** As they come while it goes on: a workflow task and what follows from it. */
function asFollowed(run: Run): Run {
  const pages: HistoryEvent[][] = [[]];
  for (const event of run.flat()) {
    if (event.workflowTaskScheduledEventAttributes) pages.push([]);
    pages.at(-1)!.push(event);
  }
  return pages;
}

/** Compares how the run stands after each page to the segment that is open, put together from its parts. @returns how often */
async function comparedWhileOpen(run: Run, every: number): Promise<number> {
  const recorder = new KeyframeWriter(0, every);
  const derivation = new Derivation({ recorder });
  const inMemory = new KeyframeWriter(0, 100);
  const other = new Derivation({ recorder: inMemory });
  const events: CanonicalEvent[] = [];
  let open: Segment | undefined;
  let count = 0;
  for (const page of asFollowed(run)) {
    events.push(...(await derivation.take(page)));
    await other.pass(page);
    const at = derivation.lastSeq;
    const part = recorder.part(at);
    expect(recorder.part(at)).toBeUndefined();
    if (!part) continue;
    open = part.isFirst ? part : { ...open!, last: part.last, more: [...(open!.more ?? []), part.bytes] };
    expect(open).toMatchObject({ first: part.first, last: at });
    expect(plain(await stateIn(open))).toEqual(plain(derivation.state));
    expect(plain(await momentOf(open, at, events))).toEqual(plain(await inMemory.momentAt(at)));
    count++;
  }
  return count;
}

test('the segment that is open tells how a run stands that goes on, in parts', async () => {
  let count = 0;
  for (const name of someOf(files, 2, 1))
    for (const every of [3, 12])
      count += await comparedWhileOpen(await pagesIn(path.join(HISTORIES, name)), every);
  expect(count).toBeGreaterThan(60);
});
