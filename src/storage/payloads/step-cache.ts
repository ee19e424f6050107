/** Results of tasks that equal calls may reuse (`spec.cache`). `src/storage/blobs` implements the store. */
import { type Outcome } from '../../language/plan/outcome';

/** What identifies an equal call, and what people see of it. */
export interface CachedCall {
  /** SHA-256 of everything that the result depends on, in hexadecimal. */
  readonly digest: string;
  /** `metadata.path` of the playbook: nothing is shared between playbooks. */
  readonly path: string;
  readonly step: string;
  readonly task: string;
  readonly kind: string;
}

export interface CacheEntry extends CachedCall {
  /** The execution that ran the task. */
  readonly execution_id: string;
  readonly task_run_id: string;
  /** Milliseconds since the epoch. */
  readonly created_at: number;
  readonly expires_at: number;
  /** Without the details of that run; redacted. */
  readonly outcome: Outcome;
}

export interface CacheFilter {
  /** Of the playbook; `a/b/*` for all below a/b. */
  readonly path?: string | undefined;
  readonly step?: string | undefined;
  /** Only entries that nobody would take any more. */
  readonly expired?: boolean | undefined;
}

/** Entries that cannot be read are not there: a cache never fails a task. */
export interface StepCache {
  /** Location for messages, without secrets. */
  readonly shown: string;
  get(call: CachedCall): Promise<CacheEntry | undefined>;
  put(entry: CacheEntry): Promise<void>;
  entries(filter: CacheFilter): AsyncIterable<CacheEntry>;
  /** Deletes entries; without a filter also those that cannot be read. @returns their number */
  clear(filter: CacheFilter): Promise<number>;
}
