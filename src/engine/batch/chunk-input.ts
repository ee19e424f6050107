/** What a chunk is given (D20). */
import { type Json, type JsonObject } from '../../plan';
import { type Caller, type State, type StepResult, type StepRun } from '../state';

/** All that a chunk needs of its execution: a snapshot. JSON, the input of its workflow or activity. */
export interface Chunk {
  readonly id: string;
  readonly executionId: string;
  readonly uuid: string;
  /** Milliseconds since the epoch: the start of the execution. */
  readonly startedAt: number;
  readonly run: Pick<StepRun, 'id' | 'step' | 'token' | 'args' | 'vars' | 'locals' | 'startedAt'>;
  readonly loop: {
    readonly items: readonly Json[];
    readonly first: number;
    readonly total: number;
    readonly maxInFlight: number;
    readonly failFast: boolean;
  };
  /** Of a sub-playbook: who called the execution. */
  readonly caller: Caller | null;
  /** What handles of secrets stand for, where there are any. */
  readonly secrets?: State['secrets'];
  readonly keychain?: State['keychain'];
  readonly workload: JsonObject;
  readonly ctx: JsonObject;
  readonly results: Readonly<Record<string, StepResult>>;
}
