/** Schedules as documents for the command line and the REST API. */
import { type Client, type ScheduleDescription, type ScheduleSummary } from '@temporalio/client';
import { isMapping, type Json, type Notifications, type ScheduledInput } from '../../plan';
import { OVERLAPS } from './overlap';

export interface ScheduleDocument {
  readonly name: string;
  readonly path: string;
  /** Null: the newest at the scheduled time. */
  readonly version: string | null;
  readonly paused: boolean;
  readonly note: string | null;
  /** RFC 3339. */
  readonly next: readonly string[];
  readonly last: string | null;
}

export interface ScheduledRunDocument {
  readonly scheduled_at: string;
  readonly started_at: string;
  /** Null until the playbook was found and started. */
  readonly execution_id: string | null;
  /** Of the workflow that started it, which runs as long as it does. */
  readonly workflow_id: string;
  /** running, completed, failed, cancelled, terminated, timed_out; `gone` if Temporal no longer has it. */
  readonly status: string;
}

export interface ScheduleDetails extends ScheduleDocument {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly time_as: string | null;
  /** Whom to tell of its executions, besides those the playbook names. */
  readonly on: Notifications | null;
  /** Seconds from the scheduled time by which an execution must have ended. */
  readonly deadline_s: number | null;
  readonly overlap: string;
  readonly catchup_s: number;
  readonly pause_on_failure: boolean;
  readonly timezone: string;
  readonly jitter_s: number;
  /** As stored by Temporal, which converts cron expressions to calendars. */
  readonly calendars: readonly Json[];
  readonly intervals: readonly Json[];
  readonly created_at: string;
  readonly started: number;
  readonly skipped: number;
  readonly missed: number;
  /** Null without a limit. */
  readonly remaining: number | null;
  /** The latest ten at most, newest first. */
  readonly runs: readonly ScheduledRunDocument[];
}

export function scheduleDocument(one: ScheduleSummary | ScheduleDescription): ScheduleDocument {
  const noetl = isMapping(one.memo?.['noetl']) ? one.memo['noetl'] : {};
  return {
    name: one.scheduleId,
    path: String(noetl['path'] ?? ''),
    version: typeof noetl['version'] === 'string' ? noetl['version'] : null,
    paused: one.state.paused,
    note: one.state.note || null,
    next: one.info.nextActionTimes.map((at) => at.toISOString()),
    last: one.info.recentActions.at(-1)?.takenAt.toISOString() ?? null,
  };
}

/** Includes the executions it started. */
export async function scheduleDetails(client: Client, one: ScheduleDescription): Promise<ScheduleDetails> {
  const [input] = (one.action.args ?? []) as ScheduledInput[];
  const { policies, info, spec } = one;
  return {
    ...scheduleDocument(one),
    ...inputDocument(input),
    overlap:
      Object.entries(OVERLAPS).find(([, policy]) => policy === policies.overlap)?.[0] ??
      String(policies.overlap),
    catchup_s: policies.catchupWindow / 1000,
    pause_on_failure: policies.pauseOnFailure,
    timezone: spec.timezone ?? 'UTC',
    jitter_s: (spec.jitter ?? 0) / 1000,
    calendars: plain(spec.calendars ?? []),
    intervals: plain(spec.intervals ?? []),
    created_at: info.createdAt.toISOString(),
    started: info.numActionsTaken,
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
    remaining: one.state.remainingActions ?? null,
    runs: await Promise.all(info.recentActions.map((action) => runDocument(client, action)).reverse()),
  };
}

function inputDocument(
  input: ScheduledInput | undefined,
): Pick<ScheduleDetails, 'payload' | 'time_as' | 'on' | 'deadline_s'> {
  const { payload = {}, timeAs = null, on = null, deadline = null } = input ?? {};
  return { payload, time_as: timeAs, on, deadline_s: deadline };
}

async function runDocument(
  client: Client,
  { scheduledAt, takenAt, action }: ScheduleDescription['info']['recentActions'][number],
): Promise<ScheduledRunDocument> {
  const { workflowId, firstExecutionRunId } = action.workflow;
  const run = await client.workflow
    .getHandle(workflowId, firstExecutionRunId)
    .describe()
    .catch(() => undefined);
  const memo = isMapping(run?.memo?.['noetl_run']) ? run.memo['noetl_run'] : {};
  return {
    scheduled_at: scheduledAt.toISOString(),
    started_at: takenAt.toISOString(),
    execution_id: typeof memo['execution_id'] === 'string' ? memo['execution_id'] : null,
    workflow_id: workflowId,
    status: run?.status.name.toLowerCase() ?? 'gone',
  };
}

function plain(values: readonly unknown[]): Json[] {
  return JSON.parse(JSON.stringify(values));
}
