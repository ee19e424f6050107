/** Parts of the state that tell of the world outside: who called, who is called, what is waited for. Plain JSON. */
import { type Json, type JsonObject, type Secrets } from '../../plan';

/** Where a sub-playbook was called. */
export interface Caller {
  executionId: string;
  taskRunId: string;
  /** 1 for the child of an execution of its own. */
  depth: number;
  /** The caller's `iter`, what the child sees as `iter.parent`; null outside of a loop. */
  iter: JsonObject | null;
  /** What the handles among the child's inputs stand for. */
  secrets?: Secrets;
}

/** A sub-playbook whose end, or, for a detached one, whose start is waited for. */
export interface Child {
  frame: string;
  taskRunId: string;
  path: string;
  detached: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Set when its time limit has passed, in seconds: it is being cancelled. */
  timedOut: number | null;
}

/** A task of kind `wait` under way. */
export interface Wait {
  frame: string;
  /** The name of the external event; null for a sleep. */
  event: string | null;
  /** Milliseconds since the epoch: the end of a sleep, the time limit of an event; null without one. */
  until: number | null;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** What came from outside by signal, update, REST or command line. */
export interface ExternalEvent {
  id: string | null;
  name: string;
  payload: Json;
  /** Milliseconds since the epoch. */
  at: number;
}
