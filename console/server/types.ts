/** Documents of the REST surface, as far as the console reads them (docs/reference/openapi.json has all of it). */

export type DocumentStatus =
  | 'RUNNING'
  | 'PAUSED'
  | 'CANCELLING'
  | 'FAILING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED';

export interface ExecutionDocument {
  readonly execution_id: string;
  readonly path: string;
  readonly version: string | number | null;
  readonly status: DocumentStatus;
  readonly start_time: string;
  readonly end_time: string | null;
  readonly error: string | null;
  readonly parent_execution_id: string | null;
  readonly rerun_of: { readonly execution_id: string; readonly step_run_id: string } | null;
  readonly schedule: {
    readonly name: string;
    readonly scheduled_at: string | null;
    /** Of the schedule, since it was due. */
    readonly deadline_s: number | null;
  } | null;
  readonly notification_id: string | null;
  /** A limit did not let it run. */
  readonly skipped: boolean;
}

/** A queue that no worker serves, in which tasks wait. */
export interface UnservedQueueRow {
  readonly queue: string;
  readonly waiting: number;
  readonly since: string;
  readonly last_seen: string | null;
  readonly fix: string | null;
  readonly task_run_ids: readonly string[];
}

/** `GET /api/executions/{id}/summary` */
export interface Summary extends ExecutionDocument {
  readonly unserved: readonly UnservedQueueRow[];
}

export interface StepProgress {
  readonly step: string | null;
  readonly status: 'waiting' | 'running' | 'done' | 'failed';
}

export type SessionScope = 'read' | 'run' | 'worker' | 'admin';

export interface ConsoleSession {
  readonly needs_token: boolean;
  readonly name: string | null;
  readonly scopes: readonly SessionScope[];
  readonly version: string;
  readonly temporal_ui: string | null;
}

export interface CatalogVersion {
  readonly catalog_id: string;
  readonly path: string;
  readonly version: number;
  readonly name: string;
  readonly created_at: string;
  /** In lists of the versions of a path. */
  readonly latest?: boolean;
  readonly staged?: boolean;
}

/** A staged version, and whether the executions since would have been the same with it. */
export interface StagedVersionRow {
  readonly path: string;
  readonly version: number;
  readonly staged_at: string | null;
  readonly latest: number | null;
  readonly pending: number;
  readonly objection: string | null;
  readonly warnings: readonly string[];
  readonly verification: {
    readonly executions: number;
    readonly counts: Readonly<Record<string, number>>;
    readonly groups: readonly {
      readonly kind: string;
      readonly cause: string;
      readonly count: number;
      readonly example: { readonly execution_id: string };
    }[];
    readonly coverage: {
      readonly parts: readonly {
        readonly kind: 'step' | 'arc' | 'rule' | 'failure';
        readonly id: string;
        readonly step: string;
        readonly name: string;
        readonly count: number;
      }[];
    };
  };
}

export interface PayloadField {
  readonly name: string;
  readonly kind: string;
  readonly default: unknown;
  readonly description: string | null;
  readonly secret: boolean;
  readonly options: readonly unknown[] | null;
}
