/**
 * Views of executions that the projection has: from the nearest keyframe and what happened since, at the cost of some
 * thousand events. They run in threads, as those that are derived from the whole history, and are the same.
 */
import {
  type CanonicalEvent,
  deadlineAt,
  type ExplainedDecision,
  StandingEnds,
  type Explanation,
  standingOf,
} from '../../../history';
import {
  segmentDecisions,
  momentIn,
  replaySegment,
  type Segment,
  type SegmentWatcher,
  stateIn,
  type Unpacked,
  unpackSegment,
} from '../../../history/keyframes';
import { compact } from '../../../language/plan';
import { type StoredVariable } from '../../projection/tables/pages';
import { storedEvent } from '../../projection/tables/stored-events';
import { type Host } from '../../threads/serve-jobs';
import { fullSummary } from '../executions/full-summary';
import { type ReadExecution } from '../executions/recorded';
import { renderWith } from '../executions/render';
import { type StoredFacts } from '../executions/stored';
import { stuckFacts } from '../executions/stuck-facts';
import { type VariableFacts } from '../executions/variables';
import { DECISIONS, decisionPage, type ViewName, type Views } from './views';
import { sourceLinesOf, noEvent } from './views/common';
import { graphIn } from './views/graph';
import { momentDocument } from './views/moment';
import { statusDocument, VARIABLE_LIMIT } from './views/status';
import { documentsOf, noVariable, type VariableDocument } from './views/variables';
import { type ExecutionStatusWord } from '../documents/executions';

/** An execution in the tables. */
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
    return read && statusDocument(read, full);
  },

  progress: async (stored, { workflowId, full }) => {
    const { facts, host } = stored;
    const ends = new StandingEnds();
    const read = await endOf(stored, {
      event: ({ event_type, payload }) => {
        if (event_type === 'workflow.finished') ends.end = payload;
      },
    });
    if (!read) return undefined;
    const { closed, end: at, schedule, lastEventId } = facts;
    // An end that the engine does not know.
    if (closed !== null) ends.end = { error: facts.errorDetail as CanonicalEvent['payload'][string] };
    if (at !== undefined && Object.keys(ends.end).length === 0) return undefined;
    for await (const events of eventsBetween(host, 0, FIRST_EVENTS)) ends.take(events);
    ends.lastEventId = lastEventId;
    const status = (closed ?? read.state.status) as 'terminated' | 'timed_out' | 'completed';
    const closing = at === undefined ? undefined : { status, at };
    const standing = { ...read, closed: closing, origin: compact({ schedule }) };
    return standingOf(workflowId, standing, ends, full ? {} : { variableLimit: VARIABLE_LIMIT });
  },

  /** Of one that goes on: the tables know how a closed one ended. */
  detail: async (stored, { identity, ...query }) => {
    const read = await endOf(stored);
    const summary = read && fullSummary(identity, read, Date.now());
    return summary && (await stored.host.ask('detail', { query, summary }));
  },

  graph: async (stored) => {
    const read = await endOf(stored);
    return read && graphIn(read);
  },

  state: async (stored, { at }) => {
    const { facts, host } = stored;
    const seq = typeof at === 'string' ? await host.ask('position', at) : (at ?? facts.total);
    if (!facts.isWhole && (at === undefined || typeof seq !== 'number' || seq > facts.total))
      return undefined;
    if (typeof seq !== 'number' || seq < 1 || seq > facts.total) throw noEvent(facts.id, at, facts.total);
    const segment = await segmentOf(stored, seq);
    return segment && (await stateIn(segment, at === undefined ? undefined : seq));
  },

  moment: async (stored, { at }) => {
    const { facts, host } = stored;
    const seq = at ?? facts.total;
    if (seq > facts.total && !facts.isWhole) return undefined;
    if (seq > facts.total) throw noEvent(facts.id, at, facts.total);
    const segment = await segmentOf(stored, seq);
    if (!segment) return undefined;
    const place = { first: segment.first, last: seq };
    const caused = (after: number): ReturnType<typeof eventsBetween> => eventsBetween(host, after, seq);
    return momentDocument(facts.id, seq, await momentIn(await unpackSegment(segment), place, caused));
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

  variableNames: async (stored) => {
    const read = await endOf(stored);
    return read && Object.keys(read.state.ctx);
  },

  stuck: async (stored) => {
    const read = await endOf(stored);
    return read && stuckFacts(read);
  },

  render: async (stored, { template, names }) => {
    const read = await endOf(stored);
    if (!read) return undefined;
    const { rendered, names: keys } = renderWith(read.state, template, names);
    return { status: 'ok', rendered, context_keys: keys };
  },
};

/** Events of the tables that are read at once. */
const PORTION = 1000;
/** Among them is the one that requests the execution. */
const FIRST_EVENTS = 3;

async function* eventsBetween(
  host: Host,
  after: number,
  last: number,
): AsyncGenerator<readonly CanonicalEvent[], void> {
  for (let seq = after; seq < last; seq += PORTION) {
    const text = (await host.ask('rows', { after: seq, count: Math.min(PORTION, last - seq) })) as string;
    yield (JSON.parse(text) as Parameters<typeof storedEvent>[0][]).map(storedEvent);
  }
}

async function segmentOf({ host }: Stored, seq: number): Promise<Segment | undefined> {
  return (await host.ask('segment', seq)) as Segment | undefined;
}

async function endOf(stored: Stored, watcher: SegmentWatcher = {}): Promise<ReadExecution | undefined> {
  const { facts } = stored;
  const segment = await segmentOf(stored, facts.total);
  if (!segment) return undefined;
  const unpacked = await unpackSegment(segment);
  const { machine } = replaySegment(unpacked, segment, watcher);
  const { plan, state } = machine;
  const { id, result, error, start, end, schedule, lastEventId } = facts;
  const status = facts.isRunning ? (state.status.toUpperCase() as ExecutionStatusWord) : facts.status;
  const deadline = deadlineAt(start, plan, compact({ schedule }));
  const about = { id, status, result, error, lastEventId, startedAt: start, endedAt: end };
  return { ...about, plan, state, progress: machine.progress(), ...compact({ deadlineAt: deadline }) };
}

async function variablesOf(
  stored: Stored,
  full: boolean,
): Promise<Readonly<Record<string, VariableDocument>> | undefined> {
  const read = await endOf(stored);
  if (!read) return undefined;
  const rows = (await stored.host.ask('variables')) as readonly StoredVariable[];
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

interface Explained {
  readonly decisions: readonly ExplainedDecision[];
  readonly unpacked: Unpacked;
  /** Of the run, where the segment ends. */
  readonly status: string;
}

/** A segment's decisions, in its run's words. */
async function decisionsOf(
  stored: Stored,
  place: Segment,
  selection: Parameters<typeof segmentDecisions>[1]['selection'],
): Promise<Explained> {
  const { host, facts } = stored;
  const unpacked = await unpackSegment(place);
  const rest = async (after: number): Promise<readonly CanonicalEvent[]> => {
    const events: CanonicalEvent[][] = [];
    for await (const some of eventsBetween(host, after, place.last)) events.push([...some]);
    return events.flat();
  };
  const lines = await sourceLinesOf(host)(unpacked.keyframe.plan);
  const isLast = facts.isWhole && place.last === facts.total && selection.at === undefined;
  const upTo = { ...place, last: Math.min(place.last, selection.at ?? Infinity) };
  const { decisions, state } = await segmentDecisions(unpacked, {
    place: upTo,
    selection,
    lines,
    rest,
    isLast,
  });
  return { decisions, unpacked, status: state.status };
}

function explanationOf(
  { facts }: Stored,
  { unpacked, status }: Omit<Explained, 'decisions'>,
  decisions: readonly ExplainedDecision[],
): Explanation {
  return {
    execution_id: facts.id,
    playbook: unpacked.keyframe.plan.metadata.path,
    status: facts.isRunning ? status : (facts.closed ?? facts.status.toLowerCase()),
    decisions,
    ...(facts.divergence ? { divergence: facts.divergence as NonNullable<Explanation['divergence']> } : {}),
  };
}

async function decisionAt(
  stored: Stored,
  { step, at }: { readonly step?: string; readonly at: number },
): Promise<Explanation | undefined> {
  if (!stored.facts.isWhole && at > stored.facts.total) return undefined;
  let seq = Math.min(at, stored.facts.total);
  for (let count = 0; count < SEGMENTS; count++) {
    const segment = await segmentOf(stored, seq);
    if (!segment) return undefined;
    const part = await decisionsOf(stored, segment, compact({ step, at: seq }));
    if (part.decisions.length > 0 || segment.first === 0) return explanationOf(stored, part, part.decisions);
    seq = segment.first;
  }
  return undefined;
}

async function decisionsAfter(
  stored: Stored,
  { step, after, page_size = DECISIONS }: About<'explanation'> & { readonly after: number },
): Promise<(Explanation & { readonly next_after: number | null }) | undefined> {
  const { total } = stored.facts;
  const all: ExplainedDecision[] = [];
  let last = Math.min(after, total - 1);
  let part: Explained | undefined;
  for (let count = 0; count < SEGMENTS && last < total && all.length < page_size; count++) {
    const segment = await segmentOf(stored, last + 1);
    // Of what goes on, the last part may have no keyframe yet.
    if (!segment && !stored.facts.isWhole && part) break;
    if (!segment) return undefined;
    part = await decisionsOf(stored, segment, compact({ step, after }));
    for (const decision of part.decisions) all.push(decision);
    ({ last } = segment);
  }
  const { decisions, next } = decisionPage(all, page_size, last < total ? last : null);
  return part && { ...explanationOf(stored, part, decisions), next_after: next };
}
