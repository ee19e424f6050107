/** What a schedule is made of, as people give it and as Temporal takes it. */
import { createHash } from 'node:crypto';
import { type CalendarSpec, type ScheduleSpec } from '@temporalio/client';
import {
  compact,
  type JsonObject,
  type RunLabels,
  type Notifications,
  SCHEDULED_WORKFLOW_TYPE,
  type ScheduledInput,
  scheduledWorkflowId,
  WORKFLOW_TASK_QUEUE,
} from '../../language/plan';
import { type Overlap } from './overlap';

/** When it fires: any combination of the first three, in `timezone`, an IANA name (default UTC). */
export interface ScheduleTimes {
  /** Five fields, or `@daily` etc.; Temporal also accepts seconds and years. */
  readonly cron?: readonly string[];
  /** `offset_s` shifts it within the interval. */
  readonly intervals?: readonly { readonly every_s: number; readonly offset_s?: number }[];
  readonly calendars?: readonly CalendarSpec[];
  readonly timezone?: string;
  /** Each start is delayed by a random time up to this. */
  readonly jitter_s?: number;
  /** RFC 3339. */
  readonly start_at?: string;
  readonly end_at?: string;
}

/** As the REST API takes it. */
export interface NewSchedule extends ScheduleTimes {
  readonly name: string;
  /** `metadata.path` of the playbook. */
  readonly path: string;
  /** Who creates it. */
  readonly by?: string;
  /** Pinned; otherwise each execution uses the newest version at its time. */
  readonly version?: string;
  readonly payload: JsonObject;
  /** The name of the payload field that receives the scheduled time. */
  readonly time_as?: string;
  /** Default `skip`. */
  readonly overlap?: Overlap;
  /** How long after an outage missed times are still executed; default one hour. */
  readonly catchup_s?: number;
  readonly pause_on_failure?: boolean;
  readonly paused?: boolean;
  readonly note?: string;
  /** Maximum number of executions. */
  readonly limit?: number;
  /** Of its executions, beside those of the playbook. */
  readonly labels?: RunLabels;
  /** Whom to tell of its executions, besides those the playbook names. */
  readonly on?: Notifications;
  /** Seconds from the scheduled time by which an execution must have ended. */
  readonly deadline_s?: number;
}

/** Temporal's own is a year: a restart of a server must not lose a night's run, nor must a week's be caught up. */
export const DEFAULT_CATCHUP_S = 3_600;
/**
 * What may be changed: all but the name and the path, by which it is found. Without times, those that there are stay.
 */
export type ScheduleChange = Partial<Omit<NewSchedule, 'name' | 'path' | 'by' | 'paused'>>;

export function hasTimes({ cron, intervals, calendars }: ScheduleTimes): boolean {
  return [cron, intervals, calendars].some((times) => times !== undefined && times.length > 0);
}

export function inputOf({ name, path, payload, ...more }: NewSchedule): ScheduledInput {
  return { schedule: name, path, payload, ...inputChange(more) };
}

export function inputChange({
  version,
  payload,
  time_as: timeAs,
  labels,
  on,
  deadline_s: deadline,
}: ScheduleChange): Partial<ScheduledInput> {
  return compact({ version, payload, timeAs, labels, on, deadline });
}

/** Of a schedule of ours (`actionOf`). */
export function inputIn({ args = [] }: { readonly args?: readonly unknown[] }): ScheduledInput {
  const [input] = args as readonly ScheduledInput[];
  return input!;
}

export function actionOf(input: ScheduledInput): {
  type: 'startWorkflow';
  workflowType: string;
  workflowId: string;
  taskQueue: string;
  args: [ScheduledInput];
  staticSummary: string;
  priority: { fairnessKey: string };
} {
  return {
    type: 'startWorkflow',
    workflowType: SCHEDULED_WORKFLOW_TYPE,
    workflowId: scheduledWorkflowId(input.schedule),
    taskQueue: WORKFLOW_TASK_QUEUE,
    priority: { fairnessKey: turnOf(input.schedule) },
    args: [input],
    staticSummary: `${input.path}, scheduled by ${input.schedule}`,
  };
}

/** All executions of a schedule take the turns of one. A key may have 64 bytes. */
function turnOf(schedule: string): string {
  const id = scheduledWorkflowId(schedule);
  return Buffer.byteLength(id) <= 64 ? id : createHash('sha256').update(id).digest('hex');
}

export function specOf({
  cron,
  intervals,
  calendars,
  timezone,
  jitter_s,
  start_at,
  end_at,
}: ScheduleTimes): ScheduleSpec {
  return compact({
    cronExpressions: cron && [...cron],
    intervals: intervals?.map(({ every_s, offset_s }) => ({
      every: Math.round(every_s * 1000),
      offset: millisOfSeconds(offset_s),
    })),
    calendars: calendars && [...calendars],
    timezone,
    jitter: millisOfSeconds(jitter_s),
    startAt: start_at === undefined ? undefined : new Date(start_at),
    endAt: end_at === undefined ? undefined : new Date(end_at),
  });
}

export function millisOfSeconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}
