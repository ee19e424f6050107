/**
 * Schedules of playbooks: Temporal schedules, with an action that uses our execution ids (workflows/scheduled.ts).
 */
import {
  type Backfill,
  type Client,
  type ScheduleDescription,
  type ScheduleHandle,
  type ScheduleSummary,
} from '@temporalio/client';
import { CodedError } from '../../language/errors';
import { compact, pathProblem, SCHEDULED_WORKFLOW_TYPE, type ScheduledInput } from '../../language/plan';
import {
  actionOf,
  DEFAULT_CATCHUP_S,
  hasTimes,
  inputChange,
  inputIn,
  inputOf,
  millisOfSeconds,
  type NewSchedule,
  type ScheduleChange,
  specOf,
} from './definition';
import { type ScheduleErrorCode, scheduleError } from './errors';
import { matchingTimes, MOST_STARTS } from './matching';
import { type Overlap, OVERLAPS } from './overlap';

/** Of schedules that only say when they would start something. */
export const PREVIEW = 'noetl-preview-';
const NAME = /^[\w][\w.-]{0,199}$/;

/** @throws CodedError `SCHEDULE_EXISTS`, `SCHEDULE_INVALID` */
export async function createSchedule(client: Client, schedule: NewSchedule): Promise<void> {
  const { name, path, by, version } = schedule;
  if (!NAME.test(name))
    throw invalid(
      `${JSON.stringify(name)} is not a valid schedule name: use letters, digits, "_", "-" and "."`,
    );
  refusePath(path);
  if (!hasTimes(schedule)) throw invalid('a schedule needs a cron line, an interval or a calendar');
  const notify = compact({ on: schedule.on, deadline: schedule.deadline_s });
  try {
    await client.schedule.create({
      scheduleId: name,
      spec: specOf(schedule),
      action: actionOf(inputOf(schedule)),
      policies: {
        overlap: OVERLAPS[schedule.overlap ?? 'skip'],
        catchupWindow: (schedule.catchup_s ?? DEFAULT_CATCHUP_S) * 1000,
        pauseOnFailure: schedule.pause_on_failure ?? false,
      },
      state: {
        paused: schedule.paused ?? false,
        ...compact({ note: schedule.note, remainingActions: schedule.limit }),
      },
      memo: { noetl: { path, version: version ?? null, ...compact({ by }), ...notify } },
    });
  } catch (error) {
    throw scheduleError(name, error);
  }
}

/**
 * Changes what is given, and nothing else. Executions that it started, and its counts, stay.
 *
 * @throws CodedError `SCHEDULE_NOT_FOUND`, `SCHEDULE_INVALID`
 */
export async function updateSchedule(client: Client, name: string, given: ScheduleChange): Promise<void> {
  await change(client, name, (schedule) =>
    schedule.update(({ spec, action, policies, state }) => {
      const times = hasTimes(given) ? {} : { calendars: spec.calendars, intervals: spec.intervals };
      const { startAt, endAt, jitter, timezone, skip } = spec;
      return {
        spec: {
          ...compact({ startAt, endAt, jitter, timezone, skip }),
          ...times,
          ...specOf(given),
        },
        action: actionOf({ ...inputIn(action), ...inputChange(given) }),
        policies: {
          ...policies,
          ...compact({
            overlap: given.overlap && OVERLAPS[given.overlap],
            catchupWindow: millisOfSeconds(given.catchup_s),
            pauseOnFailure: given.pause_on_failure,
          }),
        },
        state: {
          paused: state.paused,
          ...compact({
            note: given.note ?? state.note,
            remainingActions: given.limit ?? state.remainingActions,
          }),
        },
      };
    }),
  );
}

function refusePath(path: string): void {
  const problem = pathProblem(path);
  if (problem !== undefined)
    throw invalid(`${JSON.stringify(path)} is not a valid playbook path: it ${problem}`);
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
    if (one.scheduleId.startsWith(PREVIEW)) continue;
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

/** What a schedule starts with now. @throws as `describeSchedule` */
export async function scheduledInputOf(client: Client, name: string): Promise<ScheduledInput> {
  const { action } = await describeSchedule(client, name);
  return inputIn(action);
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
  const { length } = await matchingTimes(client, name, { from: start.getTime(), to: end.getTime() });
  if (length > MOST_STARTS)
    throw invalid(`the backfill would start more than ${MOST_STARTS} executions: divide it`);
  // Temporal excludes the first moment.
  const span: Backfill = { start: new Date(start.getTime() - 1), end, overlap: OVERLAPS[overlap] };
  await change(client, name, (schedule) => schedule.backfill(span));
}

/**
 * What a backfill would start.
 *
 * @throws CodedError `SCHEDULE_NOT_FOUND`, `SCHEDULE_INVALID`
 */
export async function countBackfill(
  client: Client,
  name: string,
  { start, end }: { start: Date; end: Date },
): Promise<BackfillCount> {
  if (!(start < end)) throw invalid('the end of a backfill must be after its start');
  await describeSchedule(client, name);
  const times = await matchingTimes(client, name, { from: start.getTime(), to: end.getTime() });
  const at = (index: number): string | null => {
    const time = times.at(index);
    return time === undefined ? null : new Date(time).toISOString();
  };
  return { count: times.length, first: at(0), last: at(-1) };
}

export interface BackfillCount {
  /** At most one more than `MOST_STARTS`. */
  readonly count: number;
  /** RFC 3339; null without any. */
  readonly first: string | null;
  readonly last: string | null;
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
