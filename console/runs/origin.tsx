/** What started a run, unless a person did. */
import { type JSX } from 'preact';
import { type ExecutionDocument } from '../../src/server/facade/documents';
import { runAddress } from '../shell/address';

/** What a limit did not let run is not shown as an ordinary success. */
export function shownStatus({ status, skipped }: { status: string; skipped: boolean }): string {
  return skipped && status === 'COMPLETED' ? 'SKIPPED' : status;
}

type Origins = Pick<ExecutionDocument, 'parent_execution_id' | 'rerun_of' | 'schedule' | 'notification_id'>;

/** @param plain without links, where there is no room to touch them */
export function OriginLinks({ run, plain }: { run: Origins; plain?: true }): JSX.Element {
  const { parent_execution_id: caller, rerun_of: rerun, schedule, notification_id: notification } = run;
  return (
    <>
      {schedule && (
        <span data-origin="schedule">
          {' '}
          · by schedule {plain ? schedule.name : <a href="/schedules">{schedule.name}</a>}
        </span>
      )}
      {caller && (
        <span data-origin="caller">
          {' '}
          · called by {plain ? caller : <a href={runAddress(caller)}>{caller}</a>}
        </span>
      )}
      {rerun && (
        <span data-origin="rerun">
          {' '}
          · rerun of{' '}
          {plain ? (
            rerun.execution_id
          ) : (
            <a href={runAddress(rerun.execution_id)}>{rerun.execution_id}</a>
          )}{' '}
          from {rerun.step_run_id}
        </span>
      )}
      {notification && <span data-origin="notification"> · by a notification</span>}
    </>
  );
}
