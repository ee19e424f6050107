/** Compares the decisions of two runs: what was recorded, and what another version decides in the same world. */
import { compact, type Json, type JsonObject, type SourcePosition } from '../../../language/plan';
import { valueOf } from './canonical';

/** One decision that is not the same; without one side if only the other decided it. */
export interface DecisionDifference {
  readonly recorded?: RecordedDecision;
  readonly now?: RecordedDecision;
  /** The first member that differs, and its values: `config.params.page`; '' for the whole. */
  readonly path: string;
  readonly was: Json | undefined;
  readonly is: Json | undefined;
}

export interface DecisionComparison {
  /** In the order in which they become visible. */
  readonly differences: readonly DecisionDifference[];
  /** The first decision that is the same but at another time, with milliseconds after the start. */
  readonly timing?: { readonly key: string; readonly was: number; readonly is: number };
}

interface CompareOptions {
  /** The second run stopped early for lack of answers: decisions made only by the first one prove nothing. */
  readonly isCut?: boolean;
  /** The same for the first run. */
  readonly isRecordedCut?: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** The keys of both are in the same names (`Renamed`). */
export function compareDecisions(
  recorded: readonly RecordedDecision[],
  now: readonly RecordedDecision[],
  { isCut = false, isRecordedCut = false, startedAt }: CompareOptions,
): DecisionComparison {
  const others = new Map(now.map((decision) => [decision.key, decision]));
  const orders = new Map(recorded.map(({ key }, order) => [key, order]));
  const entries: { readonly order: number; readonly difference: DecisionDifference }[] = [];
  let timing: DecisionComparison['timing'];
  for (const [order, one] of recorded.entries()) {
    const other = others.get(one.key);
    if (!other) {
      if (!isCut) entries.push({ order, difference: missing(one, undefined) });
    } else if (other.value !== one.value || other.sent !== one.sent) {
      entries.push({ order, difference: differing(one, other) });
    } else if (one.at !== other.at && !timing)
      timing = { key: one.key, was: one.at - startedAt, is: other.at - startedAt };
  }
  // Decisions made only by the second run follow those that both had made before.
  let after = -1;
  for (const one of isRecordedCut ? [] : now) {
    const order = orders.get(one.key);
    if (order === undefined) entries.push({ order: after + 0.5, difference: missing(undefined, one) });
    else after = Math.max(after, order);
  }
  entries.sort((a, b) => a.order - b.order);
  return { differences: entries.map(({ difference }) => difference), ...compact({ timing }) };
}

function missing(
  recorded: RecordedDecision | undefined,
  now: RecordedDecision | undefined,
): DecisionDifference {
  return {
    ...(recorded && { recorded }),
    ...(now && { now }),
    path: '',
    was: recorded && valueOf(recorded.value),
    is: now && valueOf(now.value),
  };
}

function differing(recorded: RecordedDecision, now: RecordedDecision): DecisionDifference {
  const isSent = recorded.value === now.value;
  const [was, is] = isSent
    ? [valueOf(recorded.sent ?? 'null'), valueOf(now.sent ?? 'null')]
    : [valueOf(recorded.value), valueOf(now.value)];
  return { recorded, now, ...firstDifference(was, is, isSent ? ['pool'] : []) };
}

function isNested(value: Json | undefined): value is JsonObject | Json[] {
  return typeof value === 'object' && value !== null;
}

/** The first member of two values that differs. */
export function firstDifference(
  was: Json | undefined,
  is: Json | undefined,
  path: readonly string[] = [],
): Pick<DecisionDifference, 'path' | 'was' | 'is'> {
  if (isNested(was) && isNested(is) && Array.isArray(was) === Array.isArray(is)) {
    const [a, b] = [new Map(Object.entries(was)), new Map(Object.entries(is))];
    for (const key of new Set([...a.keys(), ...b.keys()])) {
      const [from, to] = [a.get(key), b.get(key)];
      if (JSON.stringify(from) !== JSON.stringify(to)) return firstDifference(from, to, [...path, key]);
    }
  }
  return { path: path.join('.'), was, is };
}

export type RecordedDecisionKind =
  /** A step begins, or is skipped. */
  | 'step'
  /** The request of a task's call. */
  | 'call'
  /** The outcome of a task without a tool. */
  | 'outcome'
  /** The move after a task: continue, retry, jump, fail. */
  | 'directive'
  /** The steps selected after a step. */
  | 'route'
  /** The arguments given to a following step. */
  | 'arguments'
  /** A write to ctx. */
  | 'write'
  /** The items of a loop, and how it ended. */
  | 'loop'
  /** The wait that consumed an external event. */
  | 'event'
  /** A message to the event log. */
  | 'log'
  /** A step failed. */
  | 'failure'
  /** The result, or the error, of the execution. */
  | 'end';

/** One thing a run decided, in a form that does not depend on how its playbook is written. */
export interface RecordedDecision {
  readonly kind: RecordedDecisionKind;
  /** Identifies the decision across versions. */
  readonly key: string;
  /** The decided value, as canonical JSON. */
  readonly value: string;
  /** Of a call: the pool of workers it goes to, as canonical JSON. */
  readonly sent?: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly step?: string;
  readonly task?: string;
  /** Line and column in the playbook, if the event says. */
  readonly place?: SourcePosition;
}
