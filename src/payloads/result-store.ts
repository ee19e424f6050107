/**
 * The store of large results, as tools see it: whole payloads, put under the execution that owns them and fetched by
 * where they are. `src/blobs` implements it; a worker without a store has none.
 */
import { type Payload } from '@temporalio/common';
import { type Origin } from './reference';

/** Key of a payload's metadata: the payload is a value that a playbook stored, not the outcome of a task. */
export const STORED_VALUE = 'noetl-stored-value';

export interface ResultStore {
  /** For messages: where it is, without secrets. */
  readonly shown: string;
  /**
   * Stores durably; equal payloads of one workflow are kept once.
   *
   * @throws ApplicationFailure `BLOB_NOT_STORED`
   */
  put(workflowId: string, payload: Payload, signal: AbortSignal): Promise<Origin>;
  /**
   * What was stored, checked against its hash. Undefined when `origin.store` is none of the stores of this worker.
   *
   * @throws ApplicationFailure `BLOB_MISSING`, `BLOB_CORRUPT`, `BLOB_UNREADABLE`
   */
  get(origin: Origin, signal: AbortSignal): Promise<Payload | undefined>;
  /**
   * Deletes what the caller alone has put, and nobody was told of. What cannot be deleted goes with its execution: no
   * error.
   */
  discard(origins: readonly Origin[]): Promise<void>;
}
