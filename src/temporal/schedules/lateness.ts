/** Lateness of schedules: actions that were due and have not started. */
import { type Client, type ScheduleSummary } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { isMapping, type Notifications, SCHEDULED_WORKFLOW_TYPE } from '../../language/plan';
import { eachVisible } from '../client/visibility';

const SCHEDULE = defineSearchAttributeKey('TemporalScheduledById', 'KEYWORD');
const DUE = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');
/** Limit of scheduled executions in progress; of more, the newest are read. */
const MOST = 2_000;

export interface ScheduleDue {
  readonly path: string;
  /** Whom to tell of its executions. */
  readonly on?: Notifications;
  /** When something was due that has not started; undefined for a schedule on time. */
  readonly due?: Date;
}

/**
 * All schedules of playbooks. Something is overdue if Temporal has not fired, or has fired and no worker has started
 * the execution.
 *
 * @param now milliseconds since the epoch
 */
export async function schedulesDue(client: Client, now: number): Promise<ReadonlyMap<string, ScheduleDue>> {
  const all = new Map<string, ScheduleDue>();
  for await (const one of client.schedule.list()) {
    const schedule = scheduleOf(one, now);
    if (schedule) all.set(one.scheduleId, schedule);
  }
  let seen = 0;
  const query = `WorkflowType = '${SCHEDULED_WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'`;
  for await (const { memo, startTime, typedSearchAttributes } of eachVisible(client, query)) {
    if ((seen += 1) > MOST) break;
    const name = typedSearchAttributes.get(SCHEDULE);
    const entry = name === undefined ? undefined : all.get(name);
    if (name === undefined || entry === undefined || isMapping(memo?.['noetl_run'])) continue;
    const due = typedSearchAttributes.get(DUE) ?? startTime;
    if (!entry.due || due < entry.due) all.set(name, { ...entry, due });
  }
  return all;
}

/** Written by `createSchedule`. */
function isOn(value: unknown): value is Notifications {
  return isMapping(value);
}

/** Undefined for a schedule of something else. */
function scheduleOf({ state, info, memo }: ScheduleSummary, now: number): ScheduleDue | undefined {
  const noetl = memo?.['noetl'];
  if (!isMapping(noetl)) return undefined;
  const next = state.paused ? undefined : info.nextActionTimes[0];
  return {
    path: String(noetl['path'] ?? ''),
    ...(isOn(noetl['on']) && { on: noetl['on'] }),
    ...(next && next.getTime() <= now && { due: next }),
  };
}

/** @param now milliseconds since the epoch @returns seconds, 0 for one on time */
export function latenessOf({ due }: ScheduleDue, now: number): number {
  return due ? Math.max(0, (now - due.getTime()) / 1000) : 0;
}
