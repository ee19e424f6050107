/**
 * Limits by key across executions (docs/design/limits.md): what a plan asks for, and the contract between an execution
 * and the keeper of a key, a workflow of its own.
 */
import { type JsonObject } from './json';
import { type SourcePosition, type PlanValue } from './value';

/** What an execution does when the limit of its key is reached. */
export const ON_CONFLICT = ['queue', 'skip', 'cancel_running', 'fail'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

/** `executor.spec.concurrency`: executions with the same key that run at once. */
export interface ConcurrencyPlan {
  /** Absent: all executions of the scope share one limit. */
  readonly key?: PlanValue;
  /** Playbooks that name the same scope share its keys; default: the path of the playbook. */
  readonly scope?: string;
  readonly limit: PlanValue;
  readonly onConflict: OnConflict;
  readonly at: SourcePosition;
}

/** `executor.spec.debounce`: of executions with the same key in quick succession, only the last one runs. */
export interface DebouncePlan {
  readonly key?: PlanValue;
  readonly scope?: string;
  /** Seconds without a newer execution. */
  readonly period: PlanValue;
  /** Seconds after the first of them, at the latest. */
  readonly maxWait?: PlanValue;
  readonly at: SourcePosition;
}

/** `spec.rate_limit`: starts of tasks with the same key, over all executions. */
export interface RateLimitPlan {
  readonly key: PlanValue;
  readonly limit: PlanValue;
  /** Seconds. */
  readonly per: PlanValue;
  /** Tasks that may start at once; default: `limit`. */
  readonly burst?: PlanValue;
  readonly at: SourcePosition;
}

/** `spec.priority` and `spec.fairness`: the order in which Temporal gives waiting tasks to workers. */
export interface PriorityPlan {
  /** 1 (first) to 5. */
  readonly priority?: PlanValue;
  readonly fairness?: { readonly key: PlanValue; readonly weight?: PlanValue };
  readonly at: SourcePosition;
}

/** As the SDK expects it. */
export interface TaskPriority {
  readonly priorityKey?: number;
  readonly fairnessKey?: string;
  readonly fairnessWeight?: number;
}

/** The type of keepers. */
export const KEEPER_WORKFLOW_TYPE = 'noetl:limit';

/** Activity type: asks a keeper, and starts it if it does not run. It runs on the queue of workflow tasks. */
export const LIMIT_KIND = 'limit';
/** Activity type: which of these executions have ended without saying so. */
export const HOLDERS_ACTIVITY = 'limitHolders';

/** What a keeper keeps. */
export interface KeptLimit {
  readonly of: 'concurrency' | 'debounce' | 'rate';
  readonly scope: string;
  readonly key: string;
}

/** Who asks. */
export interface Asker {
  readonly execution: string;
  /** The workflow that gets the answer: the execution's, or that of a chunk. */
  readonly workflow: string;
}

export interface ConcurrencyRequest {
  readonly limit: number;
  readonly on_conflict: OnConflict;
  /** A caller that waits for this execution holds the same key: waiting for it would never end. */
  readonly inside?: true;
}

export interface DebounceRequest {
  readonly period_ms: number;
  readonly max_wait_ms?: number;
}

export interface RateRequest {
  /** Echoed in the answer. */
  readonly ref: string;
  readonly count: number;
  readonly limit: number;
  readonly per_ms: number;
  readonly burst: number;
}

export type LimitRequest = Asker & {
  readonly concurrency?: ConcurrencyRequest;
  readonly debounce?: DebounceRequest;
  readonly rate?: RateRequest;
};

/** `config` of the activity `LIMIT_KIND`; the activity adds the asking workflow. */
export interface LimitCall {
  /** The keeper's workflow id. */
  readonly keeper: string;
  readonly kept: KeptLimit;
  readonly request: Omit<LimitRequest, 'workflow'>;
}

/** The request in the `config` of a call of `LIMIT_KIND`, which the engine made. */
export function limitCallOf(config: JsonObject): LimitCall {
  return config as unknown as LimitCall;
}

/** The first argument of a keeper. */
export interface KeeperInput {
  readonly kept: KeptLimit;
  /** Of its keeper, after continue-as-new. */
  readonly state?: unknown;
}

/** From a keeper to whoever asked it; `execution`: that of the request. `holders`: the first of them. */
export type LimitAnswer = { readonly keeper: string; readonly execution: string } & (
  | {
      readonly type: 'queued';
      /** Executions that hold the key. */
      readonly holders: readonly string[];
      /** Executions that wait before this one. */
      readonly ahead: number;
      /** Debounce: milliseconds since the epoch. */
      readonly until?: number;
    }
  | { readonly type: 'granted' }
  /** `by`: the executions that hold the key, or the newer one. */
  | { readonly type: 'skipped'; readonly by: readonly string[] }
  /** `full`: the keeper takes no more executions. */
  | {
      readonly type: 'refused';
      readonly holders: readonly string[];
      readonly inside?: true;
      readonly full?: true;
    }
  /** `slots`: [milliseconds since the epoch, number of starts]. */
  | { readonly type: 'slots'; readonly ref: string; readonly slots: readonly (readonly [number, number])[] }
);

/** The answer to the query `limit` of a keeper. */
export interface KeeperView extends KeptLimit {
  readonly limit: number | null;
  readonly holders: readonly LimitEntry[];
  readonly waiting: readonly LimitEntry[];
}

export interface LimitEntry {
  readonly execution_id: string;
  /** Milliseconds since the epoch: when it began to hold or to wait. */
  readonly since: number;
}

/** Largest rate limit: a keeper remembers that many starts. */
export const MAX_RATE = 10_000;

/** Executions of one key that hold it or wait: a keeper that continues as new carries them all. */
export const MOST_ASKERS = 10_000;
