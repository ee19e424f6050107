/** Everything known about a recorded run: calls, their answers, and external messages, each with its time. */
import { type Input } from '../../../engine/machine';
import { type Beginning } from '../../../history';
import { type Outcome, type TaskCall } from '../../../language/plan';
import { type RecordedDecision } from '../decisions';
import { type Mark } from '../../drive';

/** A call of a tool or sub-playbook. */
export interface RecordedCall {
  readonly call: Pick<TaskCall, 'task_run_id' | 'step' | 'task' | 'iteration' | 'attempt' | 'kind' | 'lean'>;
  /** What it asked for (`requestOf`). */
  readonly request: string;
  /** Its time limits (`limitsText`). */
  readonly limits: string;
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  /** When the run itself cancelled it. */
  cancelledAt?: number;
  end?: RecordedEnd;
}

export interface RecordedEnd {
  readonly mark: Mark;
  /** The outcome as JSON, parsed again for each use because machines keep parts of their inputs. */
  readonly outcome: string;
  /** Of a sub-playbook that is not waited for: how it started. */
  readonly started?: { readonly version?: string; readonly digest: string };
}

export interface RecordedTimer {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  fired?: Mark;
  /** When the run cancelled it, before it fired. */
  cancelled?: Mark;
}

export interface RecordedChunk {
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  started?: Mark;
  /** The last batch of its machine, in milliseconds since the epoch. */
  lastAt?: number;
  settled?: Mark;
  isCancelled?: boolean;
}

/** A signal, event, pause, cancellation or change of variables. */
export interface RecordedMessage {
  readonly mark: Mark;
  /** As JSON. */
  readonly input: string;
}

export interface Recording extends Beginning {
  /** The first input: `state` is that to which it was applied, of a rerun, or of a run whose beginning is not in the history. */
  readonly first: Input;
  /** Where the first input was. */
  readonly opened: Mark;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Its last batch, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** The run ended by itself. */
  readonly isOver: boolean;
  /** By task run id. */
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** By key. */
  readonly timers: ReadonlyMap<string, RecordedTimer>;
  /** By id. */
  readonly chunks: ReadonlyMap<string, RecordedChunk>;
  /** By the chunk they were for; '' for the run itself. In order. */
  readonly messages: ReadonlyMap<string, readonly RecordedMessage[]>;
  /** The first batches after each continue-as-new. */
  readonly continued: readonly Mark[];
  /** Batches with which Temporal suggested continue-as-new. */
  readonly suggested: readonly number[];
  readonly decisions: readonly RecordedDecision[];
}

/** The outcome of a recorded end. */
export function recordedOutcome({ outcome }: RecordedEnd): Outcome {
  return JSON.parse(outcome);
}
