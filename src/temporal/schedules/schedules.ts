/**
 * Schedules of playbooks: Temporal schedules, with an action that uses our execution ids (workflows/scheduled.ts).
 */
import {
  type Backfill,
  type CalendarSpec,
  type Client,
  type ScheduleDescription,
  type ScheduleHandle,
  type ScheduleSpec,
  type ScheduleSummary,
} from '@temporalio/client';
import { CodedError } from '../../errors';
import {
  compact,
  type JsonObject,
  type Notifications,
  pathProblem,
  SCHEDULED_WORKFLOW_TYPE,
  type ScheduledInput,
  scheduledWorkflowId,
  WORKFLOW_TASK_QUEUE,
} from '../../plan';
import { type ScheduleErrorCode, scheduleError } from './errors';
import { type Overlap, OVERLAPS } from './overlap';

/** Times: any combination of the three. Times are in `timezone`, an IANA name; default UTC. */
export interface When {
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
export interface NewSchedule extends When {
  readonly name: string;
  /** `metadata.path` of the playbook. */
  readonly path: string;
  /** Pinned; otherwise each execution uses the newest version at its time. */
  readonly version?: string;
  readonly payload: JsonObject;
  /** The name of the payload field that receives the scheduled time. */
  readonly time_as?: string;
  /** Default `skip`. */
  readonly overlap?: Overlap;
  /** How long after an outage missed times are still executed; default one minute. */
  readonly catchup_s?: number;
  readonly pause_on_failure?: boolean;
  readonly paused?: boolean;
  readonly note?: string;
  /** Maximum number of executions. */
  readonly limit?: number;
  /** Whom to tell of its executions, besides those the playbook names. */
  readonly on?: Notifications;
  /** Seconds from the scheduled time by which an execution must have ended. */
  readonly deadline_s?: number;
}

const DEFAULT_CATCHUP_S = 60;
const NAME = /^[\w][\w.-]{0,199}$/;

/** @throws CodedError `SCHEDULE_EXISTS`, `SCHEDULE_INVALID` */
export async function createSchedule(client: Client, schedule: NewSchedule): Promise<void> {
  const { name, path, version, payload, time_as: timeAs } = schedule;
  const { cron, intervals, calendars } = schedule;
  if (!NAME.test(name))
    throw invalid(
      `${JSON.stringify(name)} is not a valid schedule name: use letters, digits, "_", "-" and "."`,
    );
  const problem = pathProblem(path);
  if (problem !== undefined)
    throw invalid(`${JSON.stringify(path)} is not a valid playbook path: it ${problem}`);
  if (!cron?.length && !intervals?.length && !calendars?.length)
    throw invalid('a schedule needs a cron line, an interval or a calendar');
  const notify = compact({ on: schedule.on, deadline: schedule.deadline_s });
  const input: ScheduledInput = { schedule: name, path, version, payload, timeAs, ...notify };
  try {
    await client.schedule.create({
      scheduleId: name,
      spec: specOf(schedule),
      action: {
        type: 'startWorkflow',
        workflowType: SCHEDULED_WORKFLOW_TYPE,
        workflowId: scheduledWorkflowId(name),
        taskQueue: WORKFLOW_TASK_QUEUE,
        args: [input],
        staticSummary: `${path}, scheduled by ${name}`,
      },
      policies: {
        overlap: OVERLAPS[schedule.overlap ?? 'skip'],
        catchupWindow: (schedule.catchup_s ?? DEFAULT_CATCHUP_S) * 1000,
        pauseOnFailure: schedule.pause_on_failure ?? false,
      },
      state: {
        paused: schedule.paused ?? false,
        ...compact({ note: schedule.note, remainingActions: schedule.limit }),
      },
      memo: { noetl: { path, version: version ?? null, ...notify } },
    });
  } catch (error) {
    throw scheduleError(name, error);
  }
}

function specOf({ cron, intervals, calendars, timezone, jitter_s, start_at, end_at }: When): ScheduleSpec {
  return compact({
    cronExpressions: cron && [...cron],
    intervals: intervals?.map(({ every_s, offset_s }) => ({
      every: Math.round(every_s * 1000),
      offset: millis(offset_s),
    })),
    calendars: calendars && [...calendars],
    timezone,
    jitter: millis(jitter_s),
    startAt: start_at === undefined ? undefined : new Date(start_at),
    endAt: end_at === undefined ? undefined : new Date(end_at),
  });
}

function millis(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

/** Schedules of playbooks; those of other workflows in the namespace are excluded. */
export async function listSchedules(
  client: Client,
  { offset = 0, limit = Number.POSITIVE_INFINITY }: { offset?: number; limit?: number } = {},
): Promise<ScheduleSummary[]> {
  const schedules: ScheduleSummary[] = [];
  let seen = 0;
  for await (const one of client.schedule.list()) {
    if (one.action?.type !== 'startWorkflow' || one.action.workflowType !== SCHEDULED_WORKFLOW_TYPE) continue;
    if (seen++ >= offset) schedules.push(one);
    if (schedules.length >= limit) break;
  }
  return schedules;
}

/** @throws CodedError `SCHEDULE_NOT_FOUND`, also for a schedule that does not run a playbook */
export async function describeSchedule(client: Client, name: string): Promise<ScheduleDescription> {
  const described = await orNoSchedule(name, () => client.schedule.getHandle(name).describe());
  if (described.action.workflowType !== SCHEDULED_WORKFLOW_TYPE)
    throw new CodedError<ScheduleErrorCode>(
      'SCHEDULE_NOT_FOUND',
      `there is no schedule ${name} of a playbook`,
    );
  return described;
}

/** @throws CodedError `SCHEDULE_NOT_FOUND` */
export async function pauseSchedule(client: Client, name: string, note?: string): Promise<void> {
  await change(client, name, (schedule) => schedule.pause(note));
}

/** @throws CodedError `SCHEDULE_NOT_FOUND` */
export async function unpauseSchedule(client: Client, name: string, note?: string): Promise<void> {
  await change(client, name, (schedule) => schedule.unpause(note));
}

/**
 * Starts an execution now. Temporal accepts only one trigger per second, because it derives the workflow id from
 * the second.
 *
 * @param overlap default the policy of the schedule
 * @throws CodedError `SCHEDULE_NOT_FOUND`
 */
export async function triggerSchedule(client: Client, name: string, overlap?: Overlap): Promise<void> {
  await change(client, name, (schedule, { policies }) =>
    schedule.trigger(overlap === undefined ? policies.overlap : OVERLAPS[overlap]),
  );
}

/**
 * Starts the executions that were due between two times, both inclusive.
 *
 * @param overlap default `buffer-all`: one after the other, none skipped
 * @throws CodedError `SCHEDULE_NOT_FOUND`, `SCHEDULE_INVALID`
 */
export async function backfillSchedule(
  client: Client,
  name: string,
  { start, end, overlap = 'buffer-all' }: { start: Date; end: Date; overlap?: Overlap },
): Promise<void> {
  if (!(start < end)) throw invalid('the end of a backfill must be after its start');
  // Temporal excludes the first moment.
  const span: Backfill = { start: new Date(start.getTime() - 1), end, overlap: OVERLAPS[overlap] };
  await change(client, name, (schedule) => schedule.backfill(span));
}

/** Executions it started continue. @throws CodedError `SCHEDULE_NOT_FOUND` */
export async function deleteSchedule(client: Client, name: string): Promise<void> {
  await change(client, name, (schedule) => schedule.delete());
}

/** Only a schedule of a playbook is changed. */
async function change(
  client: Client,
  name: string,
  work: (schedule: ScheduleHandle, described: ScheduleDescription) => Promise<void>,
): Promise<void> {
  const described = await describeSchedule(client, name);
  await orNoSchedule(name, () => work(client.schedule.getHandle(name), described));
}

async function orNoSchedule<T>(name: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw scheduleError(name, error);
  }
}

function invalid(message: string): CodedError {
  return new CodedError<ScheduleErrorCode>('SCHEDULE_INVALID', message);
}
