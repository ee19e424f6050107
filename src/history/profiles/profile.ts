/** A profile: a projection of the canonical events to the fields of one specification. */
import { type CanonicalEvent } from '../events';

export const PROFILE_NAMES = ['canonical', 'formal', 'extended', 'noetl'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** An event as written by a profile. */
export type Row = Readonly<Record<string, unknown>>;

/** Projects the events of one execution, in order from the first; may remember open ones. */
export type Projection = (event: CanonicalEvent) => readonly Row[];

export interface Profile {
  readonly project: () => Projection;
}

/** Retries by a rule: opened by `task.retrying`, closed by the end of the next attempt. */
export class Retries {
  private readonly open = new Set<string>();

  /** Whether this event begins a retry, whose end is then awaited. */
  begins(event: CanonicalEvent): boolean {
    if (event.event_type !== 'task.retrying') return false;
    this.open.add(base(event));
    return true;
  }

  /** Whether this event ends the attempt that a retry requested. */
  ends(event: CanonicalEvent): boolean {
    if (event.event_type !== 'task.done' && event.event_type !== 'task.failed') return false;
    return this.open.delete(base(event));
  }
}

/** The task, regardless of attempts and entries: the next page of a call is a new entry. */
function base({ task_run_id = '' }: CanonicalEvent): string {
  return task_run_id.replace(/~\d+@\d+$/, '');
}
