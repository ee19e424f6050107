import { type Client, type ScheduleDescription, WorkflowNotFoundError } from '@temporalio/client';
import { scheduleDetails } from './describe';

const at = new Date('2026-01-02T03:00:00Z');
const described = {
  scheduleId: 'nightly',
  state: { paused: false },
  policies: { overlap: 'SKIP', catchupWindow: 0, pauseOnFailure: false },
  spec: {},
  action: { type: 'startWorkflow', args: [{ path: 'etl/load' }] },
  info: {
    nextActionTimes: [],
    createdAt: at,
    recentActions: [
      { scheduledAt: at, takenAt: at, action: { workflow: { workflowId: 'w', firstExecutionRunId: 'r' } } },
    ],
  },
} as unknown as ScheduleDescription;
const clientThat = (error: Error): Client =>
  ({ workflow: { getHandle: () => ({ describe: () => Promise.reject(error) }) } }) as unknown as Client;

test('a run is gone if Temporal no longer has it, and not if Temporal does not answer', async () => {
  const gone = await scheduleDetails(clientThat(new WorkflowNotFoundError('not found', 'w', 'r')), described);
  expect(gone.runs).toMatchObject([{ workflow_id: 'w', status: 'gone', error: null }]);
  const away = new Error('unavailable');
  await expect(scheduleDetails(clientThat(away), described)).rejects.toBe(away);
});
