/** When a schedule would start something. */
import { type Client } from '@temporalio/client';
import { millisOf } from '../served/signs';

/** Starts of one backfill that are counted; more are refused. */
export const MOST_STARTS = 10_000;

export interface TimeRange {
  /** Milliseconds since the epoch, both inclusive. */
  readonly from: number;
  readonly to: number;
  /** Default one more than `MOST_STARTS`. */
  readonly most?: number;
}

/** Milliseconds since the epoch, in order, without jitter. */
export async function matchingTimes(client: Client, name: string, span: TimeRange): Promise<number[]> {
  const { from, to, most = MOST_STARTS + 1 } = span;
  const all: number[] = [];
  // Temporal excludes the first moment, and answers with a thousand at most.
  for (let after = from - 1; all.length < most;) {
    const { startTime } = await client.workflowService.listScheduleMatchingTimes({
      namespace: client.options.namespace,
      scheduleId: name,
      startTime: timestamp(after),
      endTime: timestamp(to),
    });
    const times = (startTime ?? []).map(millisOf).filter((time) => time > after && time <= to);
    if (times.length === 0) break;
    all.push(...times);
    after = times.at(-1)!;
  }
  return all.slice(0, most);
}

function timestamp(ms: number): { seconds: never; nanos: number } {
  return { seconds: Math.floor(ms / 1000) as never, nanos: (((ms % 1000) + 1000) % 1000) * 1_000_000 };
}
