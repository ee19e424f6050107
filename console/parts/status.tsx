/** Statuses: a word and a sign, never a colour alone. */
import { type JSX } from 'preact';

import { type StepState as StepLook } from '../../src/history/moment';

export type StatusLook = StepLook | 'paused' | 'cancelled';

const LOOKS: Readonly<Record<string, StatusLook>> = {
  RUNNING: 'running',
  ACTIVE: 'running',
  PAUSED: 'paused',
  DRAINING: 'cancelled',
  DEACTIVATED: 'cancelled',
  CANCELLING: 'cancelled',
  FAILING: 'failed',
  COMPLETED: 'done',
  SKIPPED: 'skipped',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'failed',
  TIMED_OUT: 'failed',
};

export function lookOf(status: string): StatusLook {
  return LOOKS[status.toUpperCase()] ?? 'waiting';
}

/** Drawn in 16 × 16. */
const SIGNS: Readonly<Record<StatusLook, string>> = {
  waiting: 'M4 8h.01M8 8h.01M12 8h.01',
  queued: 'M8 4.5V8l2.5 1.5',
  running: 'M8 3a5 5 0 1 1-5 5',
  asleep: 'M8 4.5V8l2.5 1.5',
  paused: 'M6 5v6M10 5v6',
  done: 'M4 8.5l2.8 2.8L12 5.5',
  failed: 'M5 5l6 6M11 5l-6 6',
  skipped: 'M4 5l4 3-4 3M8 5l4 3-4 3',
  cancelled: 'M4.5 8h7',
};

export function Sign({ look }: { look: StatusLook }): JSX.Element {
  return (
    <svg class={`sign ${look}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={SIGNS[look]} />
    </svg>
  );
}

/** A status as the facade reports it. */
export function StatusBadge({ status }: { status: string }): JSX.Element {
  const look = lookOf(status);
  const word = status.charAt(0) + status.slice(1).toLowerCase().replace(/_/g, ' ');
  return (
    <span class={`status ${look}`} data-status={status}>
      <Sign look={look} />
      {word}
    </span>
  );
}
