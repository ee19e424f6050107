/** Schedules as documents. */
import { type Client, type ScheduleDescription, type ScheduleSummary } from '@temporalio/client';
import { compact, isMapping, type Json, type ScheduledInput } from '../../../language/plan';
import { inParallel } from '../../../language/plan/in-parallel';
import {
  describedIfThere,
  failedStarts,
  inputIn,
  OVERLAPS,
  type StartError,
  startErrorOf,
} from '../../../temporal/client';
import { type ScheduleDetails, type ScheduleDocument } from '../documents';

/** @param error of its last start, if that failed without an execution */
export function scheduleDocument(
  one: ScheduleSummary | ScheduleDescription,
  error: StartError | null = null,
): ScheduleDocument {
  const { path, version } = aboutOf(one);
  return {
    name: one.scheduleId,
    path: path ?? '',
    version: version ?? null,
    paused: one.state.paused,
    note: one.state.note || null,
    next: one.info.nextActionTimes.map((at) => at.toISOString()),
    last: one.info.recentActions.at(-1)?.takenAt.toISOString() ?? null,
    error,
  };
}

/** Failed starts of a list that are looked at. */
const FAILED_SINCE_MS = 7 * 86_400_000;
const MOST_FAILED = 500;
const AT_ONCE = 16;

/** With why the last start of each failed, if it did. */
export async function scheduleDocuments(
  client: Client,
  listed: readonly ScheduleSummary[],
): Promise<ScheduleDocument[]> {
  const failed = await failedStarts(client, Date.now() - FAILED_SINCE_MS, MOST_FAILED);
  const runs = new Map(failed.map(({ run }) => [run.workflowId, run]));
  return await inParallel(AT_ONCE, listed, async (one) => {
    const run = runs.get(one.info.recentActions.at(-1)?.action.workflow.workflowId ?? '');
    const [now, error] = await Promise.all([
      client.schedule.getHandle(one.scheduleId).describe(),
      run ? startErrorOf(client, run) : null,
    ]).catch(() => [one, null] as const);
    return scheduleDocument(now, error);
  });
}

/** A description has the inputs of its executions; a list has the memo of its creation only, which cannot be changed. */
function aboutOf(
  one: ScheduleSummary | ScheduleDescription,
): Partial<Pick<ScheduledInput, 'path' | 'version'>> {
  if ('raw' in one && one.action.type === 'startWorkflow' && 'args' in one.action) {
    return inputIn(one.action);
  }
  const noetl = isMapping(one.memo?.['noetl']) ? one.memo['noetl'] : {};
  const { path, version } = noetl;
  return compact({
    path: typeof path === 'string' ? path : undefined,
    version: typeof version === 'string' ? version : undefined,
  });
}

/** Includes the executions it started. */
export async function scheduleDetails(client: Client, one: ScheduleDescription): Promise<ScheduleDetails> {
  const input = inputIn(one.action);
  const { policies, info, spec } = one;
  const runs = await Promise.all(info.recentActions.map((action) => runDocument(client, action)).reverse());
  const [latest] = runs;
  return {
    ...scheduleDocument(one, latest?.execution_id === null ? latest.error : null),
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
    runs,
  };
}

function inputDocument(
  input: ScheduledInput | undefined,
): Pick<ScheduleDetails, 'payload' | 'labels' | 'time_as' | 'on' | 'deadline_s'> {
  const { payload = {}, labels = {}, timeAs = null, on = null, deadline = null } = input ?? {};
  return { payload, labels, time_as: timeAs, on, deadline_s: deadline };
}

async function runDocument(
  client: Client,
  { scheduledAt, takenAt, action }: ScheduleDescription['info']['recentActions'][number],
): Promise<ScheduleDetails['runs'][number]> {
  const { workflowId, firstExecutionRunId } = action.workflow;
  const run = await describedIfThere(client, workflowId, firstExecutionRunId);
  const memo = isMapping(run?.memo?.['noetl_run']) ? run.memo['noetl_run'] : {};
  const status = run?.status.name.toLowerCase() ?? 'gone';
  const hasFailed = run !== undefined && ['failed', 'timed_out', 'terminated'].includes(status);
  return {
    scheduled_at: scheduledAt.toISOString(),
    started_at: takenAt.toISOString(),
    execution_id: typeof memo['execution_id'] === 'string' ? memo['execution_id'] : null,
    workflow_id: workflowId,
    status,
    error: hasFailed ? await startErrorOf(client, run) : null,
  };
}

function plain(values: readonly unknown[]): Json[] {
  return JSON.parse(JSON.stringify(values));
}
