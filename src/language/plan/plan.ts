/**
 * The Plan: compiled from a playbook in any vocabulary, and everything the engine knows about it. Immutable JSON: it is
 * the workflow's input, so editing or deleting the playbook never affects a running execution.
 */
import { type Payload } from '../kinds/declaration';
import { type Template } from '../template/ir';
import { type PlanInputs } from './inputs';
import { type Json } from './json';
import { type RunLabels } from './labels';
import { type ConcurrencyPlan, type DebouncePlan, type PriorityPlan, type RateLimitPlan } from './limits';
import { type Notifications } from './notifications';
import { type SourcePosition, type PlanValue } from './value';

/** Version of the Plan's shape. A worker rejects a plan whose shape it does not know. */
export const PLAN_VERSION = 1;

/** The behaviour version of new plans; src/engine/machine/batch/versions.ts describes each version. */
export const CURRENT_ENGINE_VERSION = 1;

export interface Plan {
  readonly planVersion: number;
  /** Pins the engine's behaviour for this execution (src/engine/machine/batch/versions.ts). */
  readonly engineVersion: number;
  /** SHA-256 of the canonical JSON of everything else in the plan, hex. */
  readonly digest: string;
  readonly metadata: PlanMetadata;
  /** Defaults, rendered at the start with the payload deep-merged over them. */
  readonly workload: PlanValue;
  readonly keychain: readonly KeychainEntry[];
  /** Keys of the workload whose values are encrypted when an execution starts: history contains only a handle. */
  readonly secretInputs?: readonly string[];
  /** Like `secretInputs`, for nested values: the path to each; `*` is every item of a list. */
  readonly secretPaths?: readonly (readonly string[])[];
  /** Schemas of the workload's keys, if the playbook declares them. */
  readonly inputs?: PlanInputs;
  readonly limits: PlanLimits;
  /** Result policy of `executor.spec.policy.results`. */
  readonly results: { readonly referenceFirst: boolean };
  /** `executor.spec.policy.failure.mode`: how the execution handles an unhandled failure. */
  readonly failureMode: FailureMode;
  readonly concurrency?: ConcurrencyPlan;
  readonly debounce?: DebouncePlan;
  /** `metadata.on`: whom to tell of what. The engine does not read it; the projection does. */
  readonly on?: Notifications;
  /** `executor.spec.deadline`: seconds from the start after which the execution is late; it goes on. */
  readonly deadline?: number;
  /** In the order of the YAML document; names are unique. */
  readonly steps: readonly StepPlan[];
  /** Name of the entry step. */
  readonly start: string;
  readonly source: PlanSource;
}

export interface PlanMetadata {
  readonly name: string;
  readonly path: string;
  readonly version?: string;
  readonly description?: string;
  /** Of all its executions. */
  readonly labels?: RunLabels;
  /** Names each execution, by its workload. */
  readonly runName?: PlanValue;
}

export interface PlanSource {
  /** As named by the user; absent when the playbook did not come from a file. */
  readonly file?: string;
  /** SHA-256 of the YAML text, hex. */
  readonly sha256: string;
  /** Its version in a catalog. */
  readonly catalog?: { readonly id: string; readonly version: number };
}

export interface PlanLimits {
  /** Maximum runs of one step; above it the execution is ended as a runaway. */
  readonly maxStepRuns: number;
  /** Maximum tokens at once; above it the execution is ended as a runaway. */
  readonly maxLiveTokens: number;
  /** Maximum entries by continue or jump into one task of one pipeline; above it the step fails as a runaway. */
  readonly maxTaskVisits: number;
  /** Results larger than this many bytes are stored outside history, as a reference. */
  readonly maxPayloadBytes: number;
}

export type FailureMode = 'fail_fast' | 'best_effort';
export type RouterMode = 'exclusive' | 'inclusive';

export interface KeychainEntry {
  readonly name: string;
  readonly kind: string;
  /** The entry's other fields, as written. */
  readonly config: PlanValue;
  /** Fields of the entry that templates require: the check at the start verifies them too. */
  readonly uses?: readonly string[];
  /** All its readers have a default: one that does not resolve is undefined. */
  readonly optional?: true;
  readonly at: SourcePosition;
}

/** A step: admission rules, pipeline (per loop item if there is a loop), writes, router. */
export interface StepPlan {
  readonly name: string;
  readonly at: SourcePosition;
  readonly desc?: string;
  readonly admit?: readonly AdmitRule[];
  /** `join: each` runs the step once per token instead of merging the tokens of a fork. */
  readonly joinEach?: true;
  readonly failureMode?: FailureMode;
  /** Seconds from the start of the step run until it fails with kind `timeout` (lifecycle.timeout_s). */
  readonly timeout?: PlanValue;
  /** Seconds from the start of the execution after which the step may not run (lifecycle.deadline_s). */
  readonly deadline?: PlanValue;
  /** Step inputs (`input`, `args`): defaults, overridden by the token's arguments. */
  readonly input?: PlanValue;
  /** Keys of `input` that override the arguments: their templates read the argument with that name, or the iterator. */
  readonly binds?: readonly string[];
  readonly loop?: LoopPlan;
  /** Empty for a step without a tool. */
  readonly tasks: readonly TaskPlan[];
  /** True when `tool` was a list: the step's result then also offers `.results.<task>`. */
  readonly pipeline: boolean;
  readonly set: readonly Assignment[];
  /** Rules for the step's own stages. */
  readonly rules?: RuleSet;
  /** Tasks that are not part of the pipeline: those that a rule's sink calls by name, and the claim of a cursor loop. */
  readonly sinks?: readonly TaskPlan[];
  /** Structural arcs first, then those named by rules: the latter fire only through their rule. */
  readonly router?: RouterPlan;
  /** Places in ctx into which its rules, and those of its tasks, collect: each run of the step begins with nothing there. */
  readonly collects?: readonly { readonly path: readonly string[]; readonly mode: Collect['mode'] }[];
}

/**
 * When a rule is evaluated. For a task: `call`, after each of its calls. For a step: `enter`, before its tasks; `call`,
 * when all of them have ended; `iteration`, when one iteration of its loop has ended; `end`, when the step has.
 * `store`: the outcome is final and is stored before anything follows from it.
 */
export type RuleHappening = 'enter' | 'call' | 'iteration' | 'end' | 'store';

/**
 * The single rule mechanism behind all vocabularies: rules are evaluated in order; `mode` selects the first match or
 * all.
 */
export interface RuleSet {
  /** The author's name for it, quoted by events and explanations. */
  readonly of: 'policy' | 'retry' | 'case';
  /** `all`: every match acts, and their `next`s are combined (`spec.case_mode: inclusive`). */
  readonly mode: 'first' | 'all';
  /** For a task without a matching rule: `outcome`: ok continues, error fails. */
  readonly otherwise: 'continue' | 'outcome';
  readonly rules: readonly RulePlan[];
}

export interface RulePlan {
  /** The stages at which it can act. If `iteration` is among them, `end` is only for its move. */
  readonly on: readonly RuleHappening[];
  /** Absent for `else`. */
  readonly when?: Template;
  /** Matches only while this does not hold (`stop_when`). */
  readonly unless?: Template;
  /** Matches errors only. */
  readonly onError?: true;
  /** Like `ArcPlan.seesError`: `call.done` and `step.exit` also match it after a failure. */
  readonly seesError?: true;
  /** The guard names `call.error` or tests a response status: `response` is then the error's envelope. */
  readonly readsFailure?: true;
  /** Carried out in this order, before the move. */
  readonly actions: readonly Action[];
  /** Ends the enclosing loop: iterations in flight are cancelled, and no other starts. */
  readonly endLoop?: true;
  readonly move?: Move;
  readonly at: SourcePosition;
}

/** What a rule writes, stores or reports. */
export type Action =
  | { readonly do: 'set'; readonly set: readonly Assignment[]; readonly at: SourcePosition }
  | ({ readonly do: 'collect' } & Collect)
  /** Runs a task of `StepPlan.sinks`, whose own `when` may skip it; the remaining actions wait for its end. */
  | { readonly do: 'sink'; readonly task: string; readonly at: SourcePosition }
  /** Replaces the payload of the result. */
  | { readonly do: 'result'; readonly value: PlanValue; readonly at: SourcePosition }
  /** Adds a message to the event log. */
  | { readonly do: 'log'; readonly message: PlanValue; readonly at: SourcePosition };

/** How the token or the call moves on: tasks `continue`, `break`, `jump`; steps `next`, `skip`; both `retry`, `fail`. */
export type Move =
  | { readonly do: 'continue' | 'break'; readonly at: SourcePosition }
  /** `to`: a task of the same step. */
  | {
      readonly do: 'jump';
      readonly to: string;
      /** The task goes on there: its writes and sinks wait until it is over. */
      readonly again?: true;
      readonly at: SourcePosition;
    }
  | ({ readonly do: 'retry' } & Retry)
  /** Fires arcs of the step's router, by index. */
  | { readonly do: 'next'; readonly arcs: readonly number[]; readonly at: SourcePosition }
  | { readonly do: 'fail'; readonly message?: PlanValue; readonly at: SourcePosition }
  | { readonly do: 'skip'; readonly reason?: PlanValue; readonly at: SourcePosition };

/** Gathers the results of several calls. */
export interface Collect {
  readonly from: PlanValue;
  readonly into: { readonly scope: Assignment['scope']; readonly path: readonly string[] };
  /** `push` appends the value as one item, `concat` the items of a list, `merge` the keys of a mapping. */
  readonly mode: 'push' | 'concat' | 'merge' | 'replace';
  /** The collected value is the step's result, unless an action `result` sets another (`strategy`/`path` shape). */
  readonly isResult?: true;
  readonly at: SourcePosition;
}

/** Overrides for the next call: deep-merged over the previous call. */
export interface Overrides {
  /** Tool fields (`params`, `url`, …). A mapping. */
  readonly config?: PlanValue;
  /** Inputs. A mapping. */
  readonly input?: PlanValue;
}

/** Calls the tool again. */
export interface Retry {
  /** Total executions, including the first; pages, if there are overrides. */
  readonly attempts?: PlanValue;
  /** Repeats as often as the rule matches (`call`). */
  readonly endless?: true;
  /** Seconds before the second execution; for a repetition with overrides the default is 0. */
  readonly delay?: PlanValue;
  /** Factor between consecutive delays; default 1. */
  readonly multiplier?: PlanValue;
  /** Alternative to `multiplier`. */
  readonly backoff?: BackoffKind;
  /** Seconds. */
  readonly maxDelay?: PlanValue;
  /** Set for pagination: the next call is a new page, whose attempts start at 1. */
  readonly overrides?: Overrides;
  /**
   * When the attempts are used up: `fall_through` evaluates the later rules (except an `else` that only continues) and
   * fails if none matches an error; `finish` makes the outcome final; `fail` fails even if it is ok.
   */
  readonly exhausted: 'fall_through' | 'finish' | 'fail';
  readonly at: SourcePosition;
}

export interface AdmitRule {
  /** Absent for `else`. */
  readonly when?: Template;
  readonly allow: boolean;
  readonly at: SourcePosition;
}

export interface LoopPlan {
  /** An empty list if the loop is over claimed rows. */
  readonly in: PlanValue;
  readonly cursor?: CursorPlan;
  readonly iterator: string;
  readonly mode: 'sequential' | 'parallel' | 'cursor';
  /** Iterations in flight; 1 when sequential. May be an expression. */
  readonly maxInFlight?: PlanValue;
  /** `distributed`: in child workflows. */
  readonly exec: 'distributed' | 'inline';
  /** For a loop whose iterations run elsewhere: what they may read. */
  readonly reads?: LoopReads;
  readonly at: SourcePosition;
}

/** Where a loop's rows come from, frame by frame. */
export interface CursorPlan {
  /** The task of `StepPlan.sinks` that claims the rows of a frame. */
  readonly claim: string;
  /** What an iteration is about: a row, or all rows of a frame. */
  readonly process: 'row' | 'frame';
  /** Settings of frames that are numbers, as far as written: a mapping. */
  readonly frame: PlanValue;
  /** `options.max_iterations`: rows that a slot may claim. */
  readonly maxRows?: PlanValue;
}

/** Settings of frames that are numbers, and what they are unless written: as in NoETL. */
export const FRAME_DEFAULTS = {
  max_rows: 1,
  row_concurrency: 1,
  max_seconds: 30,
  max_bytes: 64 * 1024 * 1024,
  lease_seconds: 120,
  heartbeat_seconds: 30,
  max_attempts: 3,
};

/** Names of workload, ctx and step results that iterations may look up; null: any name. */
export interface LoopReads {
  readonly workload: readonly string[] | null;
  readonly ctx: readonly string[] | null;
  readonly results: readonly string[] | null;
}

/** One task of a pipeline: a tool call and the rules that handle its outcome. */
export interface TaskPlan {
  /** Unique within the step; written by the author or generated (`task_0`, `<step>_task`). */
  readonly name: string;
  readonly kind: string;
  readonly at: SourcePosition;
  /** The task's own inputs (`input`, `args`, `with`), which override the step's. */
  readonly input?: PlanValue;
  /** What the call of a workbook task gives it: computed before `input`, whose templates see it. */
  readonly given?: PlanValue;
  /** The tool's other fields (url, command, code, …), evaluated before each attempt. Always a mapping. */
  readonly config: PlanValue;
  /** Fields of `config` in which an undefined value is an error instead of an empty string (url, headers, auth). */
  readonly strict: readonly string[];
  readonly spec: TaskSpec;
  /** Absent: ok continues, error fails. */
  readonly rules?: RuleSet;
  /** For a sink: a condition for running it. For kind `wait`: which external events match. */
  readonly when?: Template;
  /** Kind `iterator`, or a task with `loop`: `body` runs once per item. */
  readonly loop?: LoopPlan;
  readonly body?: readonly TaskPlan[];
  readonly set: readonly Assignment[];
  /** No worker of this release supports the kind: the task fails at once, naming it. */
  readonly unavailable?: true;
  /**
   * Position of the first line of the Python code if its lines are lines of the YAML: errors then point into the YAML.
   */
  readonly codeAt?: SourcePosition;
  /** Of an extension that says so: which field of its result is the data. */
  readonly payload?: Payload;
  /** Nothing reads the details of its result: history omits them. */
  readonly lean?: true;
  /** A template reads where its result is stored: it is stored at any size. */
  readonly stored?: true;
  /** `exec: local`: it runs on lease, in one activity with other tasks. */
  readonly local?: true;
  /** The Python code reads `context`: step results, ctx and workload are sent along. */
  readonly needsContext?: true;
  /** The innermost construct of docs/sugar.md that contains the task; only for debugging. */
  readonly sugar?: Sugar;
}

/** Origin of a task in a flat list (`choose`, `while`, `until`; docs/sugar.md), or of those around an agent's turn. */
export interface Sugar {
  readonly construct: 'choose' | 'while' | 'until' | 'turns';
  /** The construct's position in the YAML. */
  readonly at: SourcePosition;
  /** The branch of `choose`, counted from 1. */
  readonly branch?: number;
  /** The task was generated by the compiler: a router that only steers. */
  readonly generated?: true;
}

/** The task's effective spec, without its policy: kind defaults < executor < step < loop < task. */
export interface TaskSpec {
  /** Seconds; the tool gives up with an outcome of kind `timeout` before Temporal does. */
  readonly timeout?: TimeoutSpec;
  /** Moves the task to queue `noetl-<pool>-<kind>`. */
  readonly pool?: string;
  /**
   * For an extension: after this many seconds without a heartbeat its worker counts as lost; 0: it sends no heartbeats.
   */
  readonly heartbeat?: number;
  readonly delivery: 'at_least_once' | 'at_most_once';
  readonly rateLimit?: RateLimitPlan;
  readonly priority?: PriorityPlan;
  /** The remaining spec, for the tool (pooling, sandbox, tls, …). */
  readonly options: PlanValue;
}

export interface TimeoutSpec {
  readonly connect?: PlanValue;
  readonly read?: PlanValue;
  readonly total?: PlanValue;
}

export type BackoffKind = 'none' | 'linear' | 'exponential';

/** One write of `set`, `set_ctx`, `set_iter` or arc `set`. */
export interface Assignment {
  /** `local` is a bare name: a variable of the pipeline, or an argument of the token when an arc sets it. */
  readonly scope: 'ctx' | 'iter' | 'step' | 'local';
  /** Never empty; `ctx.a.b` is `['a', 'b']`. */
  readonly path: readonly string[];
  readonly value: PlanValue;
  readonly at: SourcePosition;
}

export interface RouterPlan {
  readonly mode: RouterMode;
  readonly arcs: readonly ArcPlan[];
}

export interface ArcPlan {
  /** The target step; null for `next: end` in a playbook without a step `end`: the token ends. */
  readonly step: string | null;
  readonly when?: Template;
  /** Payload of the token (`args`). */
  readonly args?: PlanValue;
  readonly set: readonly Assignment[];
  /** Index of the step's rule whose `next` names the arc: the router does not consider it by itself. */
  readonly rule?: number;
  /** The guard handles failures, so the arc is a candidate after `step.failed`. */
  readonly handlesFailure: boolean;
  /**
   * The guard also refers to `error`, tests that `response` is not defined, or tests a response status: after a
   * failure `call.done` and `step.exit` match it too.
   */
  readonly seesError?: true;
  /**
   * The guard names neither a failure event nor a status: after a failure `response` is undefined in it and in the
   * arc's writes. For an arc named by a rule, the rule's `readsFailure` decides this.
   */
  readonly hidesResponse?: true;
  readonly at: SourcePosition;
}

export type { Json };
