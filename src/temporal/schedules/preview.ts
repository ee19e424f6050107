/** When a schedule would start something, before there is one. */
import { randomUUID } from 'node:crypto';
import { type Client } from '@temporalio/client';
import { type ScheduleTimes } from './definition';
import { timesText } from './calendar-text';
import { matchingTimes } from './matching';
import { doubtsOf, YEARS_MS } from './play';
import { createSchedule, deleteSchedule, describeSchedule, PREVIEW } from './schedules';

export interface SchedulePreview {
  /** In words. */
  readonly times: readonly string[];
  /** RFC 3339. */
  readonly next: readonly string[];
  /** As of `doubtsOf`. */
  readonly warnings: readonly string[];
}

/**
 * Temporal is asked, by a schedule that is paused, in no list, and gone afterwards: nobody else knows how it reads a cron
 * line.
 *
 * @throws CodedError `SCHEDULE_INVALID`
 */
export async function previewSchedule(
  client: Client,
  times: ScheduleTimes,
  now: number = Date.now(),
): Promise<SchedulePreview> {
  const name = PREVIEW + randomUUID();
  await createSchedule(client, { ...times, name, path: 'preview', payload: {}, paused: true });
  try {
    const [{ spec }, next, warnings] = await Promise.all([
      describeSchedule(client, name),
      matchingTimes(client, name, { from: now, to: now + YEARS_MS, most: 5 }),
      doubtsOf(client, name, times, now),
    ]);
    return { times: timesText(spec), next: next.map((at) => new Date(at).toISOString()), warnings };
  } finally {
    await deleteSchedule(client, name);
  }
}
