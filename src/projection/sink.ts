/** Where the events of executions go: the contract between what follows executions and what takes their events. */
import { type CanonicalEvent, type Divergence, type Row } from '../history';
import { type JsonObject, type Plan } from '../plan';
import { type Cursors } from './cursors';
import { type Followed } from './followed';

/** An event, with its row of the profile `noetl`. */
export interface Told {
  readonly event: CanonicalEvent;
  readonly row: Row;
}

/** The next events of an execution, and the state that it has after them. */
export interface Batch {
  readonly execution: Followed;
  readonly plan: Plan;
  /** In order; none of them was taken by this sink before, unless a cursor was lost on the way. */
  readonly events: readonly Told[];
  /** Execution variables (ctx) after the last of the events. */
  readonly variables: Readonly<JsonObject>;
  readonly divergence?: Divergence;
  /** When the execution ended, in milliseconds since the epoch; its last batch says so. */
  readonly endedAt?: number;
}

/**
 * Takes events: at least once, those of one execution in their order. What has an `event_id` that was taken before is
 * the same event.
 */
export interface Sink {
  /** Of its cursors: kind and destination, without credentials. Another name begins from the start. */
  readonly name: string;
  /**
   * Resolves when the batch is durable and the cursor says so. What fails is tried again later, from the cursor.
   *
   * @throws whatever keeps it from taking the batch; other executions go on
   */
  take(batch: Batch, cursors: Cursors): Promise<void>;
  close(): Promise<void>;
}
