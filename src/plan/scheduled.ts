/** What a schedule starts: a small workflow that finds the playbook and runs it under an execution id of its own. */
import { type JsonObject } from './json';
import { INTERNAL_PREFIX } from './names';

/** The type of that workflow. */
export const SCHEDULED_WORKFLOW_TYPE = `${INTERNAL_PREFIX}schedule`;

/** Temporal appends the time to it: `noetl-schedule-nightly-2026-11-21T02:00:00Z`. */
export function scheduledWorkflowId(schedule: string): string {
  return `noetl-schedule-${schedule}`;
}

export interface ScheduledInput {
  readonly schedule: string;
  /** `metadata.path` of the playbook. */
  readonly path: string;
  /** Pinned; else the newest when it is time. */
  readonly version?: string;
  readonly payload: JsonObject;
  /** The name under which the payload gets the time it was scheduled for, RFC 3339. */
  readonly timeAs?: string;
}

/** What becomes of it, and its memo as soon as the execution is started. */
export interface ScheduledRun {
  readonly execution_id: string;
  /** RFC 3339; null when it was started by hand, without a schedule. */
  readonly scheduled_at: string | null;
}
