/** What the engine asks of its driver: the closed union of commands (DESIGN.md section 3). */
import { type Json, type TaskCall } from '../plan';
import { type ExecutionError } from './state';

export interface RunTask {
  readonly type: 'runTask';
  readonly call: TaskCall;
  /** `step/task[iteration]` */
  readonly summary: string;
  readonly pool?: string;
  readonly atMostOnce: boolean;
}

export type Command =
  | RunTask
  | { readonly type: 'cancelTask'; readonly taskRunId: string }
  /** `deadline`: milliseconds since the epoch. */
  | { readonly type: 'startTimer'; readonly key: string; readonly deadline: number }
  | { readonly type: 'cancelTimer'; readonly key: string }
  | { readonly type: 'continueAsNew' }
  | { readonly type: 'complete'; readonly result: Json }
  | { readonly type: 'fail'; readonly error: ExecutionError }
  | { readonly type: 'cancelled'; readonly reason: string | null };
