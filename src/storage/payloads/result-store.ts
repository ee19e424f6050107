/**
 * The store of large results as seen by tools: whole payloads, stored under the execution that owns them and fetched by
 * location. `src/storage/blobs` implements it; it is absent on a worker without a store.
 */
import { type Payload } from '@temporalio/common';
import { type ReferenceOrigin } from './reference';

/** Key in a payload's metadata: the payload is a value stored by a playbook, not the outcome of a task. */
export const STORED_VALUE = 'noetl-stored-value';

export interface ResultStore {
  /** Location for messages, without secrets. */
  readonly shown: string;
  /**
   * Stores durably; equal payloads of one workflow are stored once.
   *
   * @throws ApplicationFailure `BLOB_NOT_STORED`
   */
  put(workflowId: string, payload: Payload, signal: AbortSignal): Promise<ReferenceOrigin>;
  /**
   * Fetches a payload and verifies its hash. Undefined when `origin.store` is not a store of this worker.
   *
   * @throws ApplicationFailure `BLOB_MISSING`, `BLOB_CORRUPT`, `BLOB_UNREADABLE`
   */
  get(origin: ReferenceOrigin, signal: AbortSignal): Promise<Payload | undefined>;
  /**
   * Stores a value under a name that the workflow gives it, over one that it had.
   *
   * @throws errors of the store
   */
  save(workflowId: string, name: string, value: object): Promise<void>;
  /** The value of that name; undefined if there is none. @throws errors of the store */
  saved<T>(workflowId: string, name: string): Promise<T | undefined>;
  /**
   * Deletes an object that only the caller has written and nobody refers to. Never throws: what cannot be deleted is
   * removed with its execution.
   */
  discard(origins: readonly ReferenceOrigin[]): Promise<void>;
}
