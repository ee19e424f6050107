/**
 * Views of closed executions that the projection has: from the nearest keyframe and what happened since, at the cost of some
 * thousand events. They run in threads, as those that are derived from the whole history, and are the same.
 */
import {
  type CanonicalEvent,
  deadlineAt,
  type Decision,
  Ends,
  type Explanation,
  standingOf,
  type VariableWriter,
} from '../../history';
import {
  decisionsIn,
  momentIn,
  replay,
  type Segment,
  type SegmentWatcher,
  stateIn,
  type Unpacked,
  unpackSegment,
} from '../../history/keyframes';
import { compact } from '../../plan';
import { eventOf } from '../../projection/tables/stored-events';
import { type Host } from '../../threads/serve-jobs';
import { type ReadExecution } from '../executions/recorded';
import { renderWith } from '../executions/render';
import { type StoredFacts } from '../executions/stored';
import { type VariableFacts } from '../executions/variables';
import { DECISIONS, pageOf, type ViewName, type Views } from './views';
import { linesOf, noEvent } from './views/common';
import { graphIn } from './views/graph';
import { momentDocument } from './views/moment';
import { statusOf, VARIABLE_LIMIT } from './views/status';
import { documentsOf, noVariable, type Variable } from './views/variables';

/** A closed execution in the tables. */
interface Stored {
  readonly facts: StoredFacts;
  readonly host: Host;
}

type About<Name extends ViewName> = Parameters<Views[Name]>[1];
type StoredViews = {
  readonly [Name in ViewName]?: (stored: Stored, about: About<Name>) => Promise<unknown>;
};

/** Of one request for an explanation, at most: some 50 ms each. */
const SEGMENTS = 12;

/** Events of an execution that is explained as a whole, if nothing else is asked for. */
const WHOLE = 20_000;

/** Undefined: there is no keyframe for it. */
export const storedViews: StoredViews = {
  status: async (stored, { full }) => {
    const read = await endOf(stored);
    return read && statusOf(read, full);
  },

  progress: async (stored, { workflowId }) => {
    const { facts, host } = stored;
    const { closed, end: at, schedule, total } = facts;
    if (at === undefined) return undefined;
    let reported: CanonicalEvent['payload'] | undefined;
    const read = await endOf(stored, {
      event: ({ event_type, payload }) => {
        if (event_type === 'workflow.finished') reported = payload;
      },
    });
    if (!read) return undefined;
    const ends = new Ends();
    for (const [after, last] of [
      [0, 1],
      [Math.max(1, total - LAST_EVENTS), total],
    ] as const)
      for await (const events of eventsBetween(host, after, last)) ends.take(events);
    // The tables have references instead of large results; of an end that the engine does not know, only they tell.
    const end = closed === null ? reported : ends.end;
    if (!end) return undefined;
    const status = (closed ?? read.state.status) as 'terminated' | 'timed_out' | 'completed';
    const ending = { ...read, closed: { status, at }, origin: compact({ schedule }) };
    const { rerun, lastEventId } = ends;
    return standingOf(workflowId, ending, { end, rerun, lastEventId }, { variableLimit: VARIABLE_LIMIT });
  },

  graph: async (stored, { format }) => {
    const read = await endOf(stored);
    return read && graphIn(read, format);
  },

  state: async (stored, { at }) => {
    const { facts, host } = stored;
    const seq = typeof at === 'string' ? await host.ask('position', at) : (at ?? facts.total);
    if (facts.isRunning && (at === undefined || typeof seq !== 'number' || seq > facts.total))
      return undefined;
    if (typeof seq !== 'number' || seq < 1 || seq > facts.total) throw noEvent(facts.id, at, facts.total);
    const segment = await segmentOf(stored, seq);
    return segment && (await stateIn(segment, at === undefined ? undefined : seq));
  },

  moment: async (stored, { at }) => {
    const { facts, host } = stored;
    const seq = at ?? facts.total;
    if (seq > facts.total && facts.isRunning) return undefined;
    if (seq > facts.total) throw noEvent(facts.id, at, facts.total);
    const segment = (await host.ask('segmentBefore', seq)) as Segment | undefined;
    if (!segment) return undefined;
    const rest = (after: number): ReturnType<typeof eventsBetween> => eventsBetween(host, after, seq);
    return momentDocument(facts.id, seq, await momentIn(segment, seq, rest));
  },

  explanation: async (stored, about) =>
    about.at === undefined
      ? about.after === undefined
        ? stored.facts.total > WHOLE
          ? await decisionsAfter(stored, { ...about, after: 0 })
          : undefined
        : await decisionsAfter(stored, { ...about, after: about.after })
      : await decisionAt(stored, { ...about, at: about.at }),

  variables: async (stored, { full }) => {
    const variables = await variablesOf(stored, full);
    return variables && { execution_id: stored.facts.id, variables, count: Object.keys(variables).length };
  },

  variable: async (stored, { name }) => {
    const variables = await variablesOf(stored, true);
    if (variables && !Object.hasOwn(variables, name)) throw noVariable(stored.facts.id, name);
    return variables && { execution_id: stored.facts.id, var_name: name, ...variables[name]! };
  },

  render: async (stored, { template, names }) => {
    const read = await endOf(stored);
    if (!read) return undefined;
    const { rendered, names: keys } = renderWith(read.state, template, names);
    return { status: 'ok', rendered, context_keys: keys };
  },
};

/** What an execution reports at its end is among them. */
const LAST_EVENTS = 100;

/** Events of the tables that are read at once. */
const PORTION = 1000;

async function* eventsBetween(
  host: Host,
  after: number,
  last: number,
): AsyncGenerator<readonly CanonicalEvent[], void> {
  for (let seq = after; seq < last; seq += PORTION) {
    const text = (await host.ask('rows', { after: seq, count: Math.min(PORTION, last - seq) })) as string;
    yield (JSON.parse(text) as Parameters<typeof eventOf>[0][]).map(eventOf);
  }
}

async function segmentOf({ host }: Stored, seq: number): Promise<Segment | undefined> {
  return (await host.ask('segment', seq)) as Segment | undefined;
}

async function endOf(stored: Stored, watcher: SegmentWatcher = {}): Promise<ReadExecution | undefined> {
  const { facts } = stored;
  const segment = await segmentOf(stored, facts.total);
  if (!segment) return undefined;
  const unpacked = await unpackSegment(segment.bytes);
  const { machine } = replay(unpacked, segment, watcher);
  const { plan, state } = machine;
  const { id, status, result, error, start, end, schedule, lastEventId } = facts;
  const deadline = deadlineAt(start, plan, compact({ schedule }));
  const about = { id, status, result, error, lastEventId, startedAt: start, endedAt: end };
  return { ...about, plan, state, progress: machine.progress(), ...compact({ deadlineAt: deadline }) };
}

async function variablesOf(
  stored: Stored,
  full: boolean,
): Promise<Readonly<Record<string, Variable>> | undefined> {
  const read = await endOf(stored);
  if (!read) return undefined;
  const rows = (await stored.host.ask('variables')) as readonly {
    readonly var_name: string;
    readonly var_type: VariableWriter['type'];
    readonly source_step: string | null;
    readonly created_at: Date;
    readonly accessed_at: Date;
  }[];
  const facts = new Map(rows.map((row) => [row.var_name, row]));
  const book = {
    of(name: string, otherwise: string): VariableFacts {
      const row = facts.get(name);
      if (!row)
        return { type: 'step_result', source_step: null, created_at: otherwise, updated_at: otherwise };
      const { var_type: type, source_step, created_at, accessed_at } = row;
      return {
        ...{ type, source_step },
        created_at: created_at.toISOString(),
        updated_at: accessed_at.toISOString(),
      };
    },
  };
  return documentsOf(read, book, full);
}

/** A segment's decisions, in its run's words. */
async function decisionsOf(
  stored: Stored,
  { bytes, ...place }: Segment,
  selection: Parameters<typeof decisionsIn>[1]['selection'],
): Promise<{ readonly decisions: readonly Decision[]; readonly unpacked: Unpacked }> {
  const { host, facts } = stored;
  const unpacked = await unpackSegment(bytes);
  const rest = async (after: number): Promise<readonly CanonicalEvent[]> => {
    const events: CanonicalEvent[][] = [];
    for await (const some of eventsBetween(host, after, place.last)) events.push([...some]);
    return events.flat();
  };
  const lines = await linesOf(host)(unpacked.keyframe.plan);
  const isLast = !facts.isRunning && place.last === facts.total && selection.at === undefined;
  const upTo = { ...place, last: Math.min(place.last, selection.at ?? Infinity) };
  const decisions = await decisionsIn(unpacked, { place: upTo, selection, lines, rest, isLast });
  return { decisions, unpacked };
}

function explanationOf(
  { facts }: Stored,
  { keyframe }: Unpacked,
  decisions: readonly Decision[],
): Explanation {
  return {
    execution_id: facts.id,
    playbook: keyframe.plan.metadata.path,
    status: facts.closed ?? facts.status.toLowerCase(),
    decisions,
    ...(facts.divergence ? { divergence: facts.divergence as NonNullable<Explanation['divergence']> } : {}),
  };
}

async function decisionAt(
  stored: Stored,
  { step, at }: { readonly step?: string; readonly at: number },
): Promise<Explanation | undefined> {
  if (stored.facts.isRunning && at > stored.facts.total) return undefined;
  let seq = Math.min(at, stored.facts.total);
  for (let count = 0; count < SEGMENTS; count++) {
    const segment = await segmentOf(stored, seq);
    if (!segment) return undefined;
    const { decisions, unpacked } = await decisionsOf(stored, segment, compact({ step, at: seq }));
    if (decisions.length > 0 || segment.first === 0) return explanationOf(stored, unpacked, decisions);
    seq = segment.first;
  }
  return undefined;
}

async function decisionsAfter(
  stored: Stored,
  { step, after, page_size = DECISIONS }: About<'explanation'> & { readonly after: number },
): Promise<(Explanation & { readonly next_after: number | null }) | undefined> {
  const { total } = stored.facts;
  const all: Decision[] = [];
  let last = Math.min(after, total - 1);
  let unpacked: Unpacked | undefined;
  for (let count = 0; count < SEGMENTS && last < total && all.length < page_size; count++) {
    const segment = await segmentOf(stored, last + 1);
    // Of what goes on, the last part has no keyframe yet.
    if (!segment && stored.facts.isRunning && unpacked) break;
    if (!segment) return undefined;
    const part = await decisionsOf(stored, segment, compact({ step, after }));
    for (const decision of part.decisions) all.push(decision);
    ({ unpacked } = part);
    ({ last } = segment);
  }
  const { decisions, next } = pageOf(all, page_size, last < total ? last : null);
  return unpacked && { ...explanationOf(stored, unpacked, decisions), next_after: next };
}
