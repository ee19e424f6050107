/**
 * The rows of an execution's events in blocks, as the facade keeps them: compressed lines of event id, type and row,
 * which it sends without reading them.
 */
import { deflateRawSync } from 'node:zlib';
import {
  type CanonicalEvent,
  type Divergence,
  followEvents,
  type ProfileName,
  PROFILES,
  type Projection,
  unseenAfter,
} from '../../../history';
import { storedEvent } from '../../projection/tables/stored-events';
import { type HostReading } from '../../reading/from-host';
import { type Host } from '../../threads/serve-jobs';

export interface RowsAsked {
  readonly profile: ProfileName;
  /** Values in full instead of references. */
  readonly bodies: boolean;
  /** Follows a running execution to its end. */
  readonly follow?: boolean;
  /** An event id: the rows of events after it. */
  readonly after?: string;
}

export interface Block {
  readonly bytes: Uint8Array;
  readonly rows: number;
  /** Of the last event, which may have no row. */
  readonly lastId: string;
  readonly lastSeq: number;
}

/** Events of the tables that are read at once. */
const PORTION = 1000;
/** Events of a block: cutting it into lines takes the event loop a millisecond, for each of its readers. */
const BLOCK = 250;
/** Level 1: half the size of memory's tenth, and a fifth of the time. */
const LEVEL = { level: 1 };

export async function rows(
  reading: HostReading,
  request: RowsAsked,
): Promise<{ readonly divergence?: Divergence }> {
  const { converter, host, progress } = reading;
  const { bodies } = request;
  let divergence: Divergence | undefined;
  const events = followEvents({
    converter,
    bodies,
    progress,
    open: () => reading.pages(),
    again: async (_error, failures) => (await host.ask('again', failures)) === true,
    diverged: (first) => (divergence = first),
  });
  await put(host, events, request);
  return { ...(divergence && { divergence }) };
}

/** As `rows`, of an execution in the tables, which have no bodies. */
export async function storedRows(host: Host, request: RowsAsked): Promise<void> {
  await put(host, storedEvents(host), request);
}

async function* storedEvents(host: Host): AsyncGenerator<readonly CanonicalEvent[], void> {
  for (let after = 0; ;) {
    const text = (await host.ask('rows', { after, count: PORTION })) as string;
    const events = (JSON.parse(text) as Parameters<typeof storedEvent>[0][]).map(storedEvent);
    if (events.length === 0) return;
    yield events;
    after = events.at(-1)!.seq;
    host.tell('progress', after);
  }
}

async function put(
  host: Host,
  events: AsyncIterable<readonly CanonicalEvent[]>,
  { profile, after }: RowsAsked,
): Promise<void> {
  const project = PROFILES[profile].project();
  const isUnseen = unseenAfter(after);
  for await (const some of events) {
    for (let first = 0; first < some.length; first += BLOCK) {
      const block = blockOf(some.slice(first, first + BLOCK), project, isUnseen);
      if (block) await host.ask('put', block);
    }
  }
}

/** JSON contains no tab and no line break. A projection must see every event, including those before. */
function blockOf(
  events: readonly CanonicalEvent[],
  project: Projection,
  isUnseen: (eventId: string) => boolean,
): Block | undefined {
  let text = '';
  let count = 0;
  let last: CanonicalEvent | undefined;
  for (const event of events) {
    const projected = project(event);
    if (!isUnseen(event.event_id)) continue;
    last = event;
    for (const row of projected) {
      const type = typeof row['event_type'] === 'string' ? row['event_type'] : event.event_type;
      text += `${event.event_id}\t${type}\t${JSON.stringify(row)}\n`;
      count++;
    }
  }
  if (!last) return undefined;
  const bytes = deflateRawSync(text, LEVEL);
  return { bytes, rows: count, lastId: last.event_id, lastSeq: last.seq };
}
