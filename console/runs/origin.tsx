/** The name and the labels of a run, and what started it, unless a person did. */
import { type JSX } from 'preact';
import { labelPairs } from '../../src/language/plan/labels';
import { type ExecutionDocument } from '../../src/server/facade/documents';
import { runAddress } from '../shell/address';

/** What a limit did not let run is not shown as an ordinary success. */
export function shownStatus({ status, skipped }: { status: string; skipped: boolean }): string {
  return skipped && status === 'COMPLETED' ? 'SKIPPED' : status;
}

type Origins = Pick<
  ExecutionDocument,
  'run_name' | 'labels' | 'parent_execution_id' | 'rerun_of' | 'schedule' | 'notification_id' | 'trigger'
>;

/** @param plain without links, where there is no room to touch them, and without the name, which is above */
export function OriginLinks({ run, plain }: { run: Origins; plain?: true }): JSX.Element {
  const {
    run_name: name,
    labels,
    parent_execution_id: caller,
    rerun_of: rerun,
    schedule,
    notification_id: notification,
    trigger,
  } = run;
  return (
    <>
      {name !== null && !plain && <strong data-origin="name"> · {name}</strong>}
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
      {trigger && (
        <span data-origin="trigger" title={`message ${trigger.message_id}`}>
          {' '}
          · by {plain ? trigger.path : <a href="/triggers">{trigger.path}</a>}
        </span>
      )}
      {notification && <span data-origin="notification"> · by a notification</span>}
      {labelPairs(labels).map((label) =>
        plain ? (
          <span key={label} class="label">
            {label}
          </span>
        ) : (
          <a key={label} class="label" href={`/runs?label=${encodeURIComponent(label)}`}>
            {label}
          </a>
        ),
      )}
    </>
  );
}
