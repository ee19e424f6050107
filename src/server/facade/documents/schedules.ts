/** Documents about schedules. */
import { z } from 'zod';
import { component, labelMapping, mapping } from '../http/schema';

const failure = z
  .object({ code: z.string(), message: z.string() })
  .nullable()
  .describe('Why it failed; null if it did not');

export const scheduleSchema = component('Schedule', {
  name: z.string(),
  path: z.string(),
  version: z.string().nullable(),
  paused: z.boolean(),
  note: z.string().nullable(),
  next: z.array(z.string()),
  last: z.string().nullable(),
  error: failure.describe('Of its last start, if that failed before there was an execution'),
});

export const scheduleDetailsSchema = component('ScheduleDetails', {
  ...scheduleSchema.shape,
  payload: mapping,
  labels: labelMapping,
  time_as: z.string().nullable(),
  on: mapping.nullable(),
  deadline_s: z.number().nullable(),
  overlap: z.string(),
  catchup_s: z.number(),
  pause_on_failure: z.boolean(),
  timezone: z.string(),
  jitter_s: z.number(),
  calendars: z.array(z.unknown()),
  intervals: z.array(z.unknown()),
  created_at: z.string(),
  started: z.int(),
  skipped: z.int(),
  missed: z.int(),
  remaining: z.int().nullable(),
  runs: z.array(
    z.object({
      scheduled_at: z.string(),
      started_at: z.string(),
      execution_id: z.string().nullable(),
      workflow_id: z.string(),
      status: z.string(),
      error: failure,
    }),
  ),
});

export const keptSchedule = scheduleDetailsSchema.extend({
  warnings: z
    .array(z.string())
    .describe(
      'About a playbook that the catalog does not have, its inputs, and times of the next two years that daylight saving skips or doubles',
    ),
});

export const schedulePreview = component('SchedulePreview', {
  times: z.array(z.string()).describe('In words: `at 02:00, Monday to Friday`'),
  next: z.array(z.iso.datetime()),
  warnings: z.array(z.string()).describe('As when it is created'),
});

export const scheduleDone = z.object({ name: z.string(), status: z.string() });

export const backfilledSchema = scheduleDone.extend({
  count: z.int().describe('Executions that it starts; 10001 for more than 10000'),
  first: z.iso.datetime().nullable(),
  last: z.iso.datetime().nullable(),
});
