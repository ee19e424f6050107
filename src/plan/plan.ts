/**
 * The Plan: what the compiler makes of a playbook in any vocabulary, and all that the engine knows of it. Frozen
 * JSON: it travels as the workflow's input, so editing or deleting the playbook never touches a running execution.
 */
import { type Payload } from '../kinds/declaration';
import { type Template } from '../template/ir';
import { type PlanInputs } from './inputs';
import { type Json } from './json';
import { type Position, type Value } from './value';

/** Version of the Plan's shape. A worker refuses a plan whose shape it does not know. */
export const PLAN_VERSION = 1;

/** The behaviour that new plans are pinned to; what each version means stands in src/engine/batch/versions.ts. */
export const CURRENT_ENGINE_VERSION = 1;

export interface Plan {
  readonly planVersion: number;
  /** Pins the behaviour of the engine for this execution (src/engine/batch/versions.ts). */
  readonly engineVersion: number;
  /** SHA-256 of the canonical JSON of everything else in the plan, hex. */
  readonly digest: string;
  readonly metadata: PlanMetadata;
  /** Defaults, rendered at the start and deep-merged under the payload. */
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
  /** `executor.spec.policy.failure.mode`, the execution's answer to an unhandled failure. */
  readonly failureMode: FailureMode;
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
  /** Runs of one step before the execution is ended as a runaway. */
  readonly maxStepRuns: number;
  /** Tokens of the execution at once before it is ended as a runaway. */
  readonly maxLiveTokens: number;
  /** Entries by continue or jump into one task of one pipeline before its step fails as a runaway. */
  readonly maxTaskVisits: number;
  /** Results above this many bytes leave history as a reference. */
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

/** A step: admission gate, pipeline (perhaps per loop item), writes, router. */
export interface StepPlan {
  readonly name: string;
  readonly at: Position;
  readonly desc?: string;
  readonly admit?: readonly AdmitRule[];
  /** `join: each` runs the step once per token instead of merging the tokens of a fork. */
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
  /** Rules on the step's own happenings. */
  readonly rules?: RuleSet;
  /** Tasks that run only when a sink of a rule calls them by name; no part of the pipeline. */
  readonly sinks?: readonly TaskPlan[];
  /** Structural arcs first, then those that rules name: these fire only by their rule. */
  readonly router?: RouterPlan;
}

/**
 * What a rule is asked about. Of a task: `call`, after each of its calls. Of a step: `enter`, before its tasks; `call`,
 * when all of them ended; `iteration`, when one of its loop is over; `end`, when the step is. `store`: what was asked
 * about stands, and is stored before anything follows from it.
 */
export type Happening = 'enter' | 'call' | 'iteration' | 'end' | 'store';

/** The one rule mechanism of all vocabularies: asked in order, by `mode` the first or all that match. */
export interface RuleSet {
  /** What the author calls it: events and explanations quote it. */
  readonly of: 'policy' | 'retry' | 'case';
  /** `all`: every match acts, and their `next`s unite (`spec.case_mode: inclusive`). */
  readonly mode: 'first' | 'all';
  /** What follows for a task when no rule matches: `outcome`: ok goes on, error fails. */
  readonly otherwise: 'continue' | 'outcome';
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** The happenings at which it has something to do. Where `iteration` is one of them, `end` is for its move only. */
  readonly on: readonly Happening[];
  /** Absent for `else`. */
  readonly when?: Template;
  /** Matches only while this does not hold (`stop_when`). */
  readonly unless?: Template;
  /** Matches errors only. */
  readonly onError?: true;
  /** As `ArcPlan.seesError`: after a failure `call.done` and `step.exit` match it too. */
  readonly seesError?: true;
  /** The guard names `call.error` or tests a response status: `response` is then the error's envelope. */
  readonly readsFailure?: true;
  /** Done in this order, before the move. */
  readonly actions: readonly Action[];
  /** Ends the loop around: iterations in flight are cancelled, and no other starts. */
  readonly endLoop?: true;
  readonly move?: Move;
  readonly at: Position;
}

/** What a rule writes, stores or says. */
export type Action =
  | { readonly do: 'set'; readonly set: readonly Assignment[]; readonly at: Position }
  | ({ readonly do: 'collect' } & Collect)
  /** Runs a task of `StepPlan.sinks`, whose own `when` may skip it; the rest waits for its end. */
  | { readonly do: 'sink'; readonly task: string; readonly at: Position }
  /** Replaces the payload of the result. */
  | { readonly do: 'result'; readonly value: Value; readonly at: Position }
  /** Adds a message to the event log. */
  | { readonly do: 'log'; readonly message: Value; readonly at: Position };

/** How the token or the call moves on: tasks `continue`, `break`, `jump`; steps `next`, `skip`; both `retry`, `fail`. */
export type Move =
  | { readonly do: 'continue' | 'break'; readonly at: Position }
  /** `to`: a task of the same step. */
  | { readonly do: 'jump'; readonly to: string; readonly at: Position }
  | ({ readonly do: 'retry' } & Retry)
  /** Fires arcs of the step's router, by index. */
  | { readonly do: 'next'; readonly arcs: readonly number[]; readonly at: Position }
  | { readonly do: 'fail'; readonly message?: Value; readonly at: Position }
  | { readonly do: 'skip'; readonly reason?: Value; readonly at: Position };

/** Gathers what several calls return. */
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

/** Calls the tool again. */
export interface Retry {
  /** Executions in all, the first included; pages, where there are overrides. */
  readonly attempts?: Value;
  /** As often as the rule matches (`call`). */
  readonly endless?: true;
  /** Seconds before the second execution; 0 for a repetition with overrides unless written. */
  readonly delay?: Value;
  /** Factor from one delay to the next; default 1. */
  readonly multiplier?: Value;
  /** Alternative to `multiplier`. */
  readonly backoff?: Backoff;
  /** Seconds. */
  readonly maxDelay?: Value;
  /** Present for pagination: the next call is a new page, whose attempts start at 1. */
  readonly overrides?: Overrides;
  /**
   * When the attempts are used up: `fall_through` asks the later rules (not an `else` that only goes on), and fails if
   * none matches an error; `finish` lets the outcome stand; `fail` fails even if it is ok.
   */
  readonly exhausted: 'fall_through' | 'finish' | 'fail';
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
  /** `distributed`: in child workflows. */
  readonly exec: 'distributed' | 'inline';
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

/** One task of a pipeline: a tool call and the rules that read its outcome. */
export interface TaskPlan {
  /** Unique within the step; written by the author or synthetic (`task_0`, `<step>_task`). */
  readonly name: string;
  readonly kind: string;
  readonly at: Position;
  /** The task's own inputs (`input`, `args`, `with`), laid over the step's. */
  readonly input?: Value;
  /** The tool's other fields (url, command, code, …), evaluated before each attempt. Always a mapping. */
  readonly config: Value;
  /** Fields of `config` in which an undefined value is an error instead of an empty string (url, headers, auth). */
  readonly strict: readonly string[];
  readonly spec: TaskSpec;
  /** Absent: ok continues, error fails. */
  readonly rules?: RuleSet;
  /** Of a sink: run only if it holds. Of kind `wait`: which external events count. */
  readonly when?: Template;
  /** Kind `iterator`, or a task with `loop`: `body` runs once per item. */
  readonly loop?: LoopPlan;
  readonly body?: readonly TaskPlan[];
  readonly set: readonly Assignment[];
  /** No worker of this release runs the kind: the task fails at once, naming it. */
  readonly unavailable?: true;
  /** Where the first line of the Python code is, if its lines are lines of the YAML: where it failed is said by it. */
  readonly codeAt?: Position;
  /** Of an extension that says so: which field of its result is the data. */
  readonly payload?: Payload;
  /** Nothing reads the details of its result: history keeps none. */
  readonly lean?: true;
  /** `exec: local`: it runs where the engine runs for a while, in one activity with other tasks. */
  readonly local?: true;
  /** The Python code reads `context`: step results, ctx and workload are sent along. */
  readonly needsContext?: true;
  /** The innermost construct of docs/sugar.md that the task stands in, for people who debug it; nothing runs by it. */
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

/** The task's effective spec: kind defaults < executor < step < loop < task, policy apart. */
export interface TaskSpec {
  /** Seconds; the tool gives up, with an outcome of kind `timeout`, before Temporal does. */
  readonly timeout?: TimeoutSpec;
  /** Moves the task to queue `noetl-<pool>-<kind>`. */
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

export type Backoff = 'none' | 'linear' | 'exponential';

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
  /** The target step; null for `next: end` in a playbook without a step `end`: the token ends. */
  readonly step: string | null;
  readonly when?: Template;
  /** Payload of the token (`args`). */
  readonly args?: Value;
  readonly set: readonly Assignment[];
  /** The rule of the step (by index) whose `next` names the arc: no candidate of the router. */
  readonly rule?: number;
  /** The guard looks at the failure, so the arc is a candidate after `step.failed`. */
  readonly handlesFailure: boolean;
  /**
   * The guard also refers to `error`, tests that `response` is not defined, or tests a response status: after a
   * failure `call.done` and `step.exit` match it too.
   */
  readonly seesError?: true;
  /**
   * The guard names neither an event of failures nor a status: after a failure `response` is undefined to it and to
   * what the arc writes. Of an arc that a rule names, the rule's `readsFailure` says that.
   */
  readonly hidesResponse?: true;
  readonly at: Position;
}

export type { Json };
