/** Bulk operations, the same for Temporal and for a facade. */
import { type BulkStanding, type BulkSummary, type CauseGroup } from '../../../server/bulk';
import { type BulkOptions, type BulkVerb } from '../../../language/plan';

export interface BulkAsked {
  readonly verb: BulkVerb;
  readonly where: string;
  /** Executions per second. */
  readonly rate: number;
  readonly options: BulkOptions;
  /** rerun: the file of a new revision. */
  readonly playbook?: string;
}

/** What an operation would do; nothing has begun. */
export interface Chosen {
  /** Of the operation, if it begins. */
  readonly bulk_id: string;
  readonly executions: readonly string[];
  readonly causes: readonly CauseGroup[];
}

/** All methods throw CodedError `BULK_NOT_FOUND`, `BULK_OVER`, and EnvironmentError for problems of the environment. */
export interface BulkOperations {
  /** @throws CodedError `WHERE_INVALID`, `BULK_TOO_MANY` */
  choose(request: BulkAsked): Promise<Chosen>;
  start(request: BulkAsked, chosen: Chosen): Promise<void>;
  list(): Promise<readonly BulkSummary[]>;
  read(id: string): Promise<BulkStanding>;
  cancel(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  close(): Promise<void>;
}
