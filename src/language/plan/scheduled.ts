/** The target of a schedule: a small workflow that resolves the playbook and runs it under its own execution id. */
import { type JsonObject } from './json';
import { type RunLabels } from './labels';
import { type Notifications } from './notifications';
import { INTERNAL_PREFIX } from './names';

/** The type of that workflow. */
export const SCHEDULED_WORKFLOW_TYPE = `${INTERNAL_PREFIX}schedule`;

/** No execution's workflow id begins with it. */
export const SCHEDULED_ID_PREFIX = 'noetl-schedule-';

/** Temporal appends the time to it: `noetl-schedule-nightly-2026-11-21T02:00:00Z`. */
export function scheduledWorkflowId(schedule: string): string {
  return SCHEDULED_ID_PREFIX + schedule;
}

export interface ScheduledInput {
  readonly schedule: string;
  /** `metadata.path` of the playbook. */
  readonly path: string;
  /** Pinned version; defaults to the latest at firing time. */
  readonly version?: string;
  readonly payload: JsonObject;
  /** The payload key that receives the scheduled time, RFC 3339. */
  readonly timeAs?: string;
  /** Whom to tell of its executions, besides those the playbook names. */
  readonly on?: Notifications;
  /** Seconds from the scheduled time by which the execution must have ended. */
  readonly deadline?: number;
  /** Of its executions, beside those of the playbook. */
  readonly labels?: RunLabels;
}

/** In the memo of an execution: the schedule that started it. */
export interface ScheduleMemo extends Pick<ScheduledInput, 'schedule' | 'on' | 'deadline'> {
  /** RFC 3339; null when it was started manually, without a schedule. */
  readonly scheduled_at: string | null;
}

/** Its result, also stored in its memo once the execution has started. */
export interface ScheduledRun {
  readonly execution_id: string;
  /** RFC 3339; null when it was started manually, without a schedule. */
  readonly scheduled_at: string | null;
}
