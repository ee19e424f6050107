/** The input of a chunk. */
import { type Json, type JsonObject } from '../../../language/plan';
import { type Caller, type CursorState, type State, type StepResult, type StepRun } from '../state';

/** Everything a chunk needs from its execution: a JSON snapshot, passed as the input of its workflow or activity. */
export interface Chunk {
  readonly id: string;
  readonly executionId: string;
  readonly uuid: string;
  /** Start of the execution, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly run: Pick<StepRun, 'id' | 'step' | 'token' | 'args' | 'vars' | 'locals' | 'startedAt'>;
  readonly loop: {
    readonly items: readonly Json[];
    readonly first: number;
    readonly total: number;
    readonly maxInFlight: number;
    readonly failFast: boolean;
    /** Of a loop over claimed rows: the chunk's share of a frame. */
    readonly cursor?: CursorState;
  };
  /** Set when the execution is a sub-playbook: its caller. */
  readonly caller: Caller | null;
  /** As State.keepers. */
  readonly keepers?: State['keepers'];
  /** The secrets that handles refer to, if there are any. */
  readonly secrets?: State['secrets'];
  readonly keychain?: State['keychain'];
  readonly workload: JsonObject;
  readonly ctx: JsonObject;
  readonly results: Readonly<Record<string, StepResult>>;
}
