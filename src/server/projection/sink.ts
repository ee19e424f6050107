/** The contract between the consumer that follows executions and the sink that takes their events. */
import {
  type CanonicalEvent,
  type Divergence,
  type ExecutionOrigin,
  type VariableWriter,
} from '../../history';
import { type Part, type Segment } from '../../history/keyframes';
import { type Json, type Plan, type TaskCall } from '../../language/plan';
import { type Cursors } from './cursors';
import { type NoetlColumns } from './tables/noetl-row';
import { type Followed, type ReadPlace } from './followed';

/** An event, with its rows of the profile `noetl`. */
export interface EventItem {
  readonly event: CanonicalEvent;
  readonly rows: readonly NoetlColumns[];
  /** Of a task's event, for sinks that read calls: what the tool was asked, unless within another activity. */
  readonly call?: TaskCall;
}

export interface ProjectedVariable {
  readonly var_name: string;
  readonly var_type: VariableWriter['type'];
  readonly var_value: Json;
  readonly source_step: string | null;
  readonly at: string;
}

export interface VariableChanges {
  readonly written: readonly ProjectedVariable[];
  readonly deleted: readonly string[];
  /** Variables not written do not exist. */
  readonly isWhole: boolean;
}

/** The next events of an execution, and its state after them. */
export interface EventBatch {
  readonly execution: Followed;
  readonly plan: Plan;
  readonly origin: ExecutionOrigin;
  /** The execution that called it. */
  readonly callerId?: string;
  /** In order; new to this sink, unless a cursor was lost. */
  readonly events: readonly EventItem[];
  /** Execution variables (ctx) that the events changed, after the last of them. */
  readonly variables: VariableChanges;
  readonly divergence?: Divergence;
  /** Keyframes, for sinks that keep them; as they are stored. */
  readonly keyframes?: readonly Segment[];
  /** Of one that goes on: what the keyframe that is open leads to, up to the last event. */
  readonly rest?: Part;
  /** The history up to there is in this batch and those before. */
  readonly reached?: ReadPlace;
  /** When the execution ended, in milliseconds since the epoch; set in its last batch. */
  readonly endedAt?: number;
}

/**
 * Takes events: at least once, those of one execution in order. An `event_id` taken before denotes the same event.
 */
export interface Sink {
  /** Its events have their `call`. */
  readonly readsCalls?: boolean;
  /** For sinks that keep keyframes: where those that it has of an execution end. */
  keyframesEnd?(executionId: string): Promise<number>;
  /** Of its cursors: kind and destination, without credentials. A new name starts from the beginning. */
  readonly name: string;
  /**
   * Resolves when batch and cursor are durable. A failed batch is retried later, from the cursor.
   *
   * @throws any error that prevents taking the batch; other executions continue
   */
  take(batch: EventBatch, cursors: Cursors): Promise<void>;
  close(): Promise<void>;
}
