/** How a run stood at an event, by a keyframe: as the page of a run shows it. */
import { type JsonObject } from '../../language/plan';
import { type CanonicalEvent } from '../events';
import { type Moment, momentFrom, Moving } from '../moment';
import { replaySegment, type Segment, unpackSegment } from './segment';

/**
 * @param at the event's position: in the segment, or later
 * @param rest events after the segment's inputs, or caused by Temporal, which do not change the state: those after a position
 *   up to `at`
 */
export async function momentIn(
  packed: Segment,
  at: number,
  rest: (after: number) => AsyncIterable<readonly CanonicalEvent[]>,
): Promise<Moment> {
  const { first, last } = packed;
  const segment = await unpackSegment(packed);
  const { moment, state } = segment.keyframe;
  const moving = new Moving(momentFrom(moment, { workload: state.workload, variables: {} }));
  let now: { readonly ctx: JsonObject; readonly workload: JsonObject } | undefined;
  const upTo = Math.min(at, last);
  const place = { first, last: upTo };
  const { machine, last: reached } = replaySegment(segment, place, {
    event: (event, { seq, at: time }, live) => {
      moving.take(event, time);
      if (seq === upTo) now = structuredClone({ ctx: live.ctx, workload: live.workload });
    },
  });
  const { ctx, workload } = now ?? machine.state;
  moving.variables = ctx;
  if (reached < at)
    for await (const events of rest(reached))
      for (const event of events) moving.take(event, Date.parse(event.timestamp));
  return { ...moving.moment, workload };
}
