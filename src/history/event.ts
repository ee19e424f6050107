/** Types shared by the parts of the history reader. */
import { type temporal } from '@temporalio/proto';
import { type Input } from '../engine/machine';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** An input that sorts by its key within its window: task run id, timer key, execution id of a child. */
export interface Completion {
  readonly key: string;
  readonly input: Input;
}
