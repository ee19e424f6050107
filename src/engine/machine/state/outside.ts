/** Parts of the state that refer to the outside: the caller, the called, and what is being waited for. Plain JSON. */
import { type Json, type JsonObject, type Secrets, type WaitForm } from '../../../language/plan';

/** Where a sub-playbook was called. */
export interface Caller {
  executionId: string;
  taskRunId: string;
  /** 1 for the child of a top-level execution. */
  depth: number;
  /** The executions above the child, the first one first; absent if the caller is the only one. */
  above?: string[];
  /** Calls that it may have in progress, if fewer than others of its depth. */
  calls?: number;
  /** The caller's `iter`, visible to the child as `iter.parent`; null outside loops. */
  iter: JsonObject | null;
  /** Keepers of the limits that callers hold while they wait. */
  holds?: string[];
  /** The secrets that handles in the child's inputs refer to. */
  secrets?: Secrets;
}

/** Execution ids of all callers, the one that nobody called first. */
export function executionsAbove({ above, executionId }: Caller): readonly string[] {
  return above ?? [executionId];
}

/** A sub-playbook whose end (or start, if detached) is being waited for. */
export interface CalledChild {
  frame: string;
  taskRunId: string;
  path: string;
  detached: boolean;
  /** It is called as an agent: its end is an envelope. */
  framework?: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Set, in seconds, when its time limit has passed and it is being cancelled. */
  timedOut: number | null;
}

/** A pending task of kind `wait`. */
export interface Wait {
  frame: string;
  /** The name of the external event; null for a sleep. */
  event: string | null;
  /** Milliseconds since the epoch: the end of a sleep, or the time limit for an event; null without one. */
  until: number | null;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** It takes only answers that fit this form. */
  form?: WaitForm;
}

/** Of an event: somebody's answer to a form. */
export interface EventAnswer {
  /** The task run that is answered, never empty; absent: the oldest wait for an event of this name. */
  readonly of?: string;
  /** Who answers, and by which way: `token`, `link`. */
  readonly by?: string;
  readonly via?: string;
  /** The payload stands for any answer that fits. */
  readonly any?: true;
}

/** An event received by signal, update, REST or command line. */
export interface ExternalEvent {
  id: string | null;
  name: string;
  payload: Json;
  /** Milliseconds since the epoch. */
  at: number;
  answer?: EventAnswer;
}
