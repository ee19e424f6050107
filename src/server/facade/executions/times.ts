/** Times of an execution as they are shown. */
import { duration } from '../../../language/plan/duration';

/** @param end milliseconds since the epoch, like the others; undefined while it runs */
export function timesOf(
  start: number,
  end: number | undefined,
  now: number,
): { start_time: string; end_time: string | null; duration_seconds: number; duration_human: string } {
  const seconds = Math.max(0, (end ?? Math.max(now, start)) - start) / 1000;
  return {
    start_time: new Date(start).toISOString(),
    end_time: end === undefined ? null : new Date(end).toISOString(),
    duration_seconds: seconds,
    duration_human: duration(seconds * 1000),
  };
}
