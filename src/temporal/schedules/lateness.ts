/** Lateness of schedules: actions that were due and have not started. */
import { type Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { isMapping, SCHEDULED_WORKFLOW_TYPE } from '../../plan';
import { eachVisible } from '../visibility';

const SCHEDULE = defineSearchAttributeKey('TemporalScheduledById', 'KEYWORD');
const DUE = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');
/** Limit of scheduled executions in progress; of more, the newest are read. */
const MOST = 2_000;

/**
 * Seconds by schedule, 0 for one on time. A schedule is late if Temporal has not fired, or has fired and no worker
 * has started the execution.
 *
 * @param now milliseconds since the epoch
 */
export async function schedulesLate(client: Client, now: number): Promise<ReadonlyMap<string, number>> {
  const late = new Map<string, number>();
  for await (const { scheduleId, state, info, memo } of client.schedule.list()) {
    if (!isMapping(memo?.['noetl'])) continue;
    const due = state.paused ? undefined : info.nextActionTimes[0]?.getTime();
    late.set(scheduleId, Math.max(0, (now - (due ?? now)) / 1000));
  }
  let seen = 0;
  const query = `WorkflowType = '${SCHEDULED_WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'`;
  for await (const { memo, startTime, typedSearchAttributes } of eachVisible(client, query)) {
    if ((seen += 1) > MOST) break;
    const name = typedSearchAttributes.get(SCHEDULE);
    const before = name === undefined ? undefined : late.get(name);
    if (name === undefined || before === undefined || isMapping(memo?.['noetl_run'])) continue;
    const due = typedSearchAttributes.get(DUE) ?? startTime;
    late.set(name, Math.max(before, (now - due.getTime()) / 1000));
  }
  return late;
}
