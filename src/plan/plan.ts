/**
 * The Plan: what the compiler makes of a playbook in any vocabulary, and all that the engine knows of it. Frozen
 * JSON: it travels as the workflow's input, so editing or deleting the playbook never touches a running execution
 * (DESIGN.md section 3).
 */
import { type Template } from '../template/ir';
import { type PlanInputs } from './inputs';
import { type Json } from './json';
import { type Position, type Value } from './value';

/** Version of the Plan's shape. A worker refuses a plan whose shape it does not know. */
export const PLAN_VERSION = 1;

/** The behaviour that new plans are pinned to; what each version means stands in src/engine/versions.ts. */
export const CURRENT_ENGINE_VERSION = 3;

export interface Plan {
  readonly planVersion: number;
  /** Pins the behaviour of the engine for this execution (src/engine/versions.ts). */
  readonly engineVersion: number;
  /** SHA-256 of the canonical JSON of everything else in the plan, hex. */
  readonly digest: string;
  readonly metadata: PlanMetadata;
  /** Defaults, rendered at the start and deep-merged under the payload (S1 §3.2). */
  readonly workload: Value;
  readonly keychain: readonly KeychainEntry[];
  /** Keys of the workload whose values are stored encrypted when an execution is started: history has a handle. */
  readonly secretInputs?: readonly string[];
  /** As `secretInputs`, deeper: keys on the way to each; `*` is every item of a list. */
  readonly secretPaths?: readonly (readonly string[])[];
  /** What the keys of the workload are to be, where the playbook says it. */
  readonly inputs?: PlanInputs;
  readonly limits: Limits;
  /** Result policy of `executor.spec.policy.results`. */
  readonly results: { readonly referenceFirst: boolean };
  /** `executor.spec.policy.failure.mode`, the execution's answer to an unhandled failure (D16). */
  readonly failureMode: FailureMode;
  /** In the order of the YAML document; names are unique. */
  readonly steps: readonly StepPlan[];
  /** Name of the entry step (D3). */
  readonly start: string;
  readonly source: PlanSource;
}

export interface PlanMetadata {
  readonly name: string;
  readonly path: string;
  readonly version?: string;
  readonly description?: string;
}

export interface PlanSource {
  /** As the user named it; absent when the playbook did not come from a file. */
  readonly file?: string;
  /** SHA-256 of the YAML text, hex. */
  readonly sha256: string;
  /** The version of a catalog that it is. */
  readonly catalog?: { readonly id: string; readonly version: number };
}

export interface Limits {
  /** Runs of one step before the execution is ended as a runaway (D13). */
  readonly maxStepRuns: number;
  /** Entries by continue or jump into one task of one pipeline before its step fails as a runaway. */
  readonly maxTaskVisits: number;
  /** Results above this many bytes leave history as a reference (D25). */
  readonly maxPayloadBytes: number;
}

export type FailureMode = 'fail_fast' | 'best_effort';
export type RouterMode = 'exclusive' | 'inclusive';

export interface KeychainEntry {
  readonly name: string;
  readonly kind: string;
  /** The entry's other fields as written. */
  readonly config: Value;
  /** Fields of it that templates read and cannot do without: the check at the start asks for them too. */
  readonly uses?: readonly string[];
  readonly at: Position;
}

/** A step: admission gate, pipeline (perhaps per loop item), writes, router (S3 §4). */
export interface StepPlan {
  readonly name: string;
  readonly at: Position;
  readonly desc?: string;
  readonly admit?: readonly AdmitRule[];
  /** `join: each` runs the step once per token instead of merging the tokens of a fork (D13). */
  readonly joinEach?: true;
  readonly failureMode?: FailureMode;
  /** Seconds from the start of the step run until it fails with kind `timeout` (lifecycle.timeout_s). */
  readonly timeout?: Value;
  /** Seconds from the start of the execution after which the step may not run (lifecycle.deadline_s). */
  readonly deadline?: Value;
  /** Step inputs (`input`, `args`): defaults, over which the token's arguments lie. */
  readonly input?: Value;
  /** Keys of `input` that lie over the arguments: their templates read the argument of that name, or the iterator. */
  readonly binds?: readonly string[];
  readonly loop?: LoopPlan;
  /** Empty for a step without a tool. */
  readonly tasks: readonly TaskPlan[];
  /** True when `tool` was a list: the step's result then also offers `.results.<task>`. */
  readonly pipeline: boolean;
  readonly set: readonly Assignment[];
  /** Rules on the step's own events (`case` of S1 §8, S2 §7.1, S5 §1; D15, D18). */
  readonly case?: CasePlan;
  /** Sinks at step level, names of `asides`: run after routing was evaluated, in a loop once per iteration (S1 §10). */
  readonly sinks?: readonly string[];
  /** Tasks that run only when a sink or an action calls them by name; no part of the pipeline. */
  readonly asides?: readonly TaskPlan[];
  /** Structural arcs first, then those that actions of `case` name: these fire only by their action. */
  readonly router?: RouterPlan;
}

/** `case`: first match per event, or, with `spec.case_mode: inclusive`, every match (D18). */
export interface CasePlan {
  readonly mode: 'first' | 'all';
  readonly rules: readonly CaseRule[];
}

export interface CaseRule {
  /** Absent for `else`. */
  readonly when?: Template;
  /** The guard names `step.enter`: only such rules are asked before the step starts. */
  readonly onEnter?: true;
  /** As `ArcPlan.seesError`: after a failure `call.done` and `step.exit` match it too (D15). */
  readonly seesError?: true;
  /** The guard names `call.error` or tests a response status: `response` is then the error's envelope (D15). */
  readonly readsFailure?: true;
  /** An `else` behind a rule on the step's end: asked at the end too, where that rule can match before it (D18). */
  readonly waitsForEnd?: true;
  readonly actions: readonly Action[];
  readonly at: Position;
}

/** What a matched rule does, in the order it is done; at most one of the moves `call retry next fail skip` counts. */
export type Action =
  | { readonly do: 'set'; readonly set: readonly Assignment[]; readonly at: Position }
  | ({ readonly do: 'collect' } & Collect)
  /** Runs an aside, whose own `when` may skip it. */
  | { readonly do: 'sink'; readonly task: string; readonly at: Position }
  /** Replaces the payload of the step's result. */
  | { readonly do: 'result'; readonly value: Value; readonly at: Position }
  /** Says something in the event log. */
  | { readonly do: 'log'; readonly message: Value; readonly at: Position }
  /** Calls the tool again, with overrides. */
  | { readonly do: 'call'; readonly overrides: Overrides; readonly at: Position }
  | ({ readonly do: 'retry'; readonly at: Position } & RetrySpec)
  /** Fires arcs of the step's router, by index. */
  | { readonly do: 'next'; readonly arcs: readonly number[]; readonly at: Position }
  | { readonly do: 'fail'; readonly message?: Value; readonly at: Position }
  | { readonly do: 'skip'; readonly reason?: Value; readonly at: Position };

/** Gathers what several calls return (S2 §6.1, S5 §3; D17, D19). */
export interface Collect {
  readonly from: Value;
  readonly into: { readonly scope: Assignment['scope']; readonly path: readonly string[] };
  /** `push` appends the value as one item, `concat` the items of a list, `merge` the keys of a mapping. */
  readonly mode: 'push' | 'concat' | 'merge' | 'replace';
  /** What was gathered is the step's result, unless an action `result` says otherwise (`strategy`/`path` shape). */
  readonly isResult?: true;
  readonly at: Position;
}

/** What the next call changes: deep-merged over the call before. */
export interface Overrides {
  /** Tool fields (`params`, `url`, …). A mapping. */
  readonly config?: Value;
  /** Inputs. A mapping. */
  readonly input?: Value;
}

/** A repetition of the call (S1 §7, S2 §6, S5 §3). */
export interface RetrySpec {
  /** Executions in all, the first included (D17). */
  readonly attempts?: Value;
  /** Seconds before the second execution; 0 for a repetition with overrides unless written. */
  readonly delay?: Value;
  /** Factor from one delay to the next; 1 unless written. */
  readonly multiplier?: Value;
  /** Alternative to `multiplier`. */
  readonly backoff?: Backoff;
  /** Seconds. */
  readonly maxDelay?: Value;
  /** Present for pagination: the next call is a new page, whose attempts start at 1; `attempts` counts pages. */
  readonly overrides?: Overrides;
}

/** A policy of `retry`: the first whose condition holds decides; none holds: the call is over. */
export interface RetryPolicy extends RetrySpec {
  /** List form; absent for `else`. */
  readonly when?: Template;
  /** Map form (S1 §7.1): go on while this holds … */
  readonly retryWhen?: Template;
  /** … and until this does. Neither: go on after an error. */
  readonly stopWhen?: Template;
  /** Before the next call: `set`, `collect`, `sink`, `log`. */
  readonly actions: readonly Action[];
  readonly at: Position;
}

export interface AdmitRule {
  /** Absent for `else`. */
  readonly when?: Template;
  readonly allow: boolean;
  readonly at: Position;
}

export interface LoopPlan {
  readonly in: Value;
  readonly iterator: string;
  readonly mode: 'sequential' | 'parallel';
  /** Iterations in flight at once; 1 for sequential. May be an expression. */
  readonly maxInFlight?: Value;
  readonly exec: 'distributed' | 'local' | 'inline';
  /** Of a loop whose iterations run elsewhere: what they may read. */
  readonly reads?: LoopReads;
  readonly at: Position;
}

/** Names of workload, ctx and step results that iterations may look up; null: any. */
export interface LoopReads {
  readonly workload: readonly string[] | null;
  readonly ctx: readonly string[] | null;
  readonly results: readonly string[] | null;
}

/** One task of a pipeline: a tool call and the rules that read its outcome (S3 §5, S4 §5.4). */
export interface TaskPlan {
  /** Unique within the step; written by the author or synthetic (`task_0`, `<step>_task`; S4 §7.4). */
  readonly name: string;
  readonly kind: string;
  readonly at: Position;
  /** The task's own inputs (`input`, `args`, `with`), laid over the step's. */
  readonly input?: Value;
  /** The tool's other fields (url, command, code, …), evaluated before each attempt. Always a mapping. */
  readonly config: Value;
  /**
   * Fields of `config` in which an undefined value is an error instead of an empty string (D7: url, headers, auth).
   */
  readonly strict: readonly string[];
  readonly spec: TaskSpec;
  /** Absent when the task has no policy: ok continues, error fails (S3 §6.3). */
  readonly rules?: readonly Rule[];
  /** Repetition of the `case` vocabulary; never together with `rules` (D1). */
  readonly retry?: readonly RetryPolicy[];
  /** Sinks of a workbook task, names of the step's `asides`: run after each success of the task. */
  readonly sinks?: readonly string[];
  /** Of a sink: run only if it holds. Of kind `wait`: which external events count (D27). */
  readonly when?: Template;
  /** Kind `iterator`, or a task with `loop`: `body` runs once per item (D20). */
  readonly loop?: LoopPlan;
  readonly body?: readonly TaskPlan[];
  readonly set: readonly Assignment[];
  /** No worker of this release runs the kind: the task fails at once, naming it. */
  readonly unavailable?: true;
  /** The Python code reads `context`: step results, ctx and workload are sent along. */
  readonly needsContext?: true;
  /** The innermost construct of S4 §14 that the task stands in, for people who debug it; nothing runs by it. */
  readonly sugar?: Sugar;
}

/** Where a task of a flat list comes from (`choose`, `while`, `until`; docs/sugar.md). */
export interface Sugar {
  readonly construct: 'choose' | 'while' | 'until';
  /** The construct in the YAML. */
  readonly at: Position;
  /** Which branch of `choose`, from 1. */
  readonly branch?: number;
  /** The compiler made the task: a router that only steers. */
  readonly generated?: true;
}

/** The task's effective spec: kind defaults < executor < step < loop < task (S4 §3.1), policy apart. */
export interface TaskSpec {
  /** Seconds; the tool gives up, with an outcome of kind `timeout`, before Temporal does. */
  readonly timeout?: TimeoutSpec;
  /** Moves the task to queue `noetl-<pool>-<kind>` (D27). */
  readonly pool?: string;
  /** Of an extension: seconds of silence after which its worker counts as lost; 0: it sends no heartbeats. */
  readonly heartbeat?: number;
  readonly delivery: 'at_least_once' | 'at_most_once';
  /** Everything else of the spec, for the tool (pooling, sandbox, tls, …). */
  readonly options: Value;
}

export interface TimeoutSpec {
  readonly connect?: Value;
  readonly read?: Value;
  readonly total?: Value;
}

export type Directive = 'continue' | 'retry' | 'jump' | 'break' | 'fail';
export type Backoff = 'none' | 'linear' | 'exponential';

export interface Rule {
  /** Absent for `else`. */
  readonly when?: Template;
  readonly do: Directive;
  /** For retry: executions in all, the first included (D17). */
  readonly attempts?: Value;
  readonly backoff?: Backoff;
  /** Seconds. */
  readonly delay?: Value;
  /** Seconds; the longest wait between two attempts. */
  readonly maxDelay?: Value;
  /** For jump: the name of a task of the same step. */
  readonly to?: string;
  readonly set: readonly Assignment[];
  readonly at: Position;
}

/** One write of `set`, `set_ctx`, `set_iter` or arc `set`. */
export interface Assignment {
  /** `local` is a bare name: a variable of the pipeline, or an argument of the token when an arc sets it. */
  readonly scope: 'ctx' | 'iter' | 'step' | 'local';
  /** Never empty; `ctx.a.b` is `['a', 'b']`. */
  readonly path: readonly string[];
  readonly value: Value;
  readonly at: Position;
}

export interface RouterPlan {
  readonly mode: RouterMode;
  readonly arcs: readonly ArcPlan[];
}

export interface ArcPlan {
  /** The target step; null for `next: end` in a playbook without a step `end`: the token ends (D3). */
  readonly step: string | null;
  readonly when?: Template;
  /** Payload of the token (`args`). */
  readonly args?: Value;
  readonly set: readonly Assignment[];
  /** The rule of `case` (by index) whose action names the arc: no candidate of the router. */
  readonly rule?: number;
  /** The guard looks at the failure, so the arc is a candidate after `step.failed` (D14). */
  readonly handlesFailure: boolean;
  /**
   * The guard also refers to `error`, tests that `response` is not defined, or tests a response status: after a
   * failure `call.done` and `step.exit` match it too (D15).
   */
  readonly seesError?: true;
  /**
   * The guard names neither an event of failures nor a status: after a failure `response` is undefined to it and to
   * what the arc writes (D15). Of an arc that a rule of `case` names, the rule's `readsFailure` says that.
   */
  readonly hidesResponse?: true;
  readonly at: Position;
}

export type { Json };
