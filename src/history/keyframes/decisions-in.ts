/** The decisions of a part of a run, from its keyframe. */
import { type State } from '../../engine/machine';
import { type CanonicalEvent } from '../events';
import { type SegmentPlace, replaySegment, type Unpacked } from './replay';
import { Memory } from '../explain/memory';
import { type ExplainedDecision } from '../explain/weigh';
import { observe, type Observation } from '../explain/operands';
import { type DecisionSelection, KeptDecisions } from '../explain/kept';
import { type SourceLines, Teller, weighs } from '../explain/teller';

export interface SegmentAsked {
  /** Its own, or one that ends earlier. */
  readonly place: SegmentPlace;
  readonly selection: DecisionSelection;
  readonly lines: SourceLines;
  /** Events that Temporal caused, at the segment's end: those after a position. */
  readonly rest: (after: number) => Promise<readonly CanonicalEvent[]>;
  /** Whether the run ends with it. */
  readonly isLast: boolean;
}

export async function segmentDecisions(
  segment: Unpacked,
  { place, selection, lines, rest, isLast }: SegmentAsked,
): Promise<{ readonly decisions: readonly ExplainedDecision[]; readonly state: State }> {
  const { plan, memory } = segment.keyframe;
  const kept = new KeptDecisions(selection);
  const teller = new Teller(plan, lines, kept, new Memory(memory));
  let pending: Observation[] = [];
  const { machine, last } = replaySegment(segment, place, {
    guard: (guard, isTrue, scope) => pending.push(observe(guard, isTrue, scope)),
    event: (event, { seq, at }) => {
      const isWeighed = weighs(event);
      // Of the envelope a decision tells no more.
      const envelope = { ...event, seq, timestamp: new Date(at).toISOString(), meta: {} } as CanonicalEvent;
      teller.tell(envelope, isWeighed ? pending : []);
      if (isWeighed) pending = [];
    },
  });
  if (last < place.last) for (const event of await rest(last)) teller.tell(event, []);
  const { state } = machine;
  if (isLast) teller.end(state);
  return { decisions: kept.decisions, state };
}
