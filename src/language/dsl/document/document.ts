import {
  type AdmitRule,
  type BackoffKind,
  type Collect,
  type RunLabels,
  type Notifications,
  type RouterMode,
} from '../../plan';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { type ToolKind, type ToolKinds } from '../kinds';
import { type MapEntry, type MapNode, type YamlNode, type ScalarNode } from '../yaml/node';

/**
 * The playbook independent of its spelling: the common form of the three vocabularies, still as positioned YAML
 * nodes. Later stages need to know only one language.
 */
export interface Document {
  readonly root: MapNode;
  readonly metadata: {
    name: string;
    path: string;
    version?: string;
    description?: string;
    labels?: RunLabels;
    runName?: ScalarNode;
  };
  /** `metadata.on`. */
  readonly on?: Notifications;
  /** Keys of the workload declared secret in `metadata.workload`. */
  readonly secretInputs: readonly (readonly string[])[];
  readonly workload?: MapNode;
  readonly keychain: readonly { readonly name: string; readonly kind: string; readonly node: MapNode }[];
  readonly executorSpec?: MapNode;
  /** Kinds of tools declared by the playbook or by extension modules. */
  readonly extensions: ToolKinds;
  readonly steps: readonly StepDoc[];
  /** Tasks of the workbook that no step calls: checked, but not in the plan. */
  readonly uncalled: readonly TaskDoc[];
  readonly entry: { readonly name: string; readonly at: Located };
}

export interface StepDoc {
  readonly name: string;
  readonly at: Located;
  readonly node: MapNode;
  readonly desc?: string;
  readonly spec?: MapNode;
  readonly inputs: readonly MapEntry[];
  readonly loop?: LoopDoc;
  readonly tasks: readonly TaskDoc[];
  readonly pipeline: boolean;
  readonly writes: readonly Write[];
  readonly case?: CaseDoc;
  /** Names of asides that store the step's result. */
  readonly sinks: readonly string[];
  readonly asides: readonly TaskDoc[];
  /** Structural arcs, then those of actions in `case`. */
  readonly router?: RouterDoc;
}

export interface LoopDoc {
  readonly at: Located;
  /** Absent if it is over rows that a cursor claims. */
  readonly in?: YamlNode;
  readonly cursor?: CursorDoc;
  readonly iterator: string;
  readonly iteratorAt: Located;
  readonly mode: 'sequential' | 'parallel' | 'cursor';
  readonly maxInFlight?: YamlNode;
  readonly exec: 'distributed' | 'local' | 'inline';
  readonly spec?: MapNode;
}

/** `cursor` of a loop, and `frame` of its spec. */
export interface CursorDoc {
  /** The aside that claims. */
  readonly claim: string;
  readonly process: 'row' | 'frame';
  /** Settings of frames that are numbers. */
  readonly frame: readonly MapEntry[];
  readonly maxRows?: YamlNode;
}

export interface TaskDoc {
  readonly name: string;
  readonly at: Located;
  readonly kind: string;
  /** The tool's own fields. */
  readonly fields: readonly MapEntry[];
  readonly inputs: readonly MapEntry[];
  /** Those of `inputs` that a call of a workbook task gives, if its own are computed from inputs. */
  readonly given?: readonly MapEntry[];
  readonly spec?: MapNode;
  readonly rules?: readonly RuleDoc[];
  /** An error that none of them matches fails the task. */
  readonly unmatched?: 'continue' | 'fail';
  readonly retry?: readonly RetryDoc[];
  /** Names of asides that store the task's result. */
  readonly sinks?: readonly string[];
  /** For a sink: whether it runs. For kind `wait`: which events match. */
  readonly when?: ScalarNode;
  /** For kind `iterator`: the items for which `body` runs. */
  readonly loop?: LoopDoc;
  readonly body?: readonly TaskDoc[];
  readonly writes: readonly Write[];
  /** It belongs to the turns of an agent, and is none of the author's. */
  readonly generated?: true;
  /** For an aside: the position of its templates; templates of other tasks are in `task`. */
  readonly stands?: Stand;
}

/** Where an aside is called from, which determines the names its templates can use. */
export interface Stand {
  readonly kind: 'sink' | 'retrySink' | 'loop';
  /** After the loop, when the iterator has no value. */
  readonly boundary?: true;
}

/** `case` of a step. */
export interface CaseDoc {
  readonly at: Located;
  readonly mode: 'first' | 'all';
  readonly rules: readonly CaseRuleDoc[];
}

export interface CaseRuleDoc {
  readonly at: Located;
  /** Absent for `else`. */
  readonly when?: ScalarNode;
  readonly moment: RuleMoment;
  readonly actions: readonly ActionDoc[];
}

/**
 * When the rule can act, according to its guard: before the step, after each call, in the iterations of a loop, at
 * the end of the step, or whenever it matches.
 */
export type RuleMoment = 'enter' | 'call' | 'iteration' | 'exit' | 'any';

export type ActionDoc =
  | { readonly do: 'set'; readonly writes: readonly Write[]; readonly at: Located }
  | CollectDoc
  | { readonly do: 'sink'; readonly task: string; readonly at: Located }
  | { readonly do: 'result' | 'log'; readonly value: YamlNode; readonly at: Located }
  | { readonly do: 'call'; readonly overrides: OverridesDoc; readonly at: Located }
  | ({ readonly do: 'retry'; readonly at: Located } & RetryKnobs)
  | { readonly do: 'next'; readonly arcs: readonly number[]; readonly at: Located }
  | { readonly do: 'end_loop'; readonly at: Located }
  | { readonly do: 'fail' | 'skip'; readonly value?: YamlNode; readonly at: Located };

export interface CollectDoc {
  readonly do: 'collect';
  readonly from: YamlNode;
  readonly into: Pick<Write, 'scope' | 'path'>;
  readonly mode: Collect['mode'];
  readonly isResult: boolean;
  readonly at: Located;
}

/** Changes for the next call: fields of the tool, and inputs. */
export interface OverridesDoc {
  readonly config: readonly MapEntry[];
  readonly input: readonly MapEntry[];
}

/** Delays and limits of a repetition. */
export interface RetryKnobs {
  readonly attempts?: YamlNode;
  readonly delay?: YamlNode;
  readonly multiplier?: YamlNode;
  readonly backoff?: BackoffKind;
  readonly maxDelay?: YamlNode;
  readonly overrides?: OverridesDoc;
}

/** A policy of `retry`. */
export interface RetryDoc extends RetryKnobs {
  readonly at: Located;
  readonly when?: ScalarNode;
  readonly retryWhen?: ScalarNode;
  readonly stopWhen?: ScalarNode;
  readonly actions: readonly ActionDoc[];
}

/** The decision of a task's rule. */
export type Directive = 'continue' | 'retry' | 'jump' | 'break' | 'fail';

export interface RuleDoc {
  readonly at: Located;
  /** Absent for `else`. */
  readonly when?: ScalarNode;
  readonly do: Directive;
  readonly attempts?: YamlNode;
  readonly backoff?: BackoffKind;
  readonly delay?: YamlNode;
  readonly maxDelay?: YamlNode;
  readonly to?: { readonly name: string; readonly at: Located };
  /** For `jump`: the task goes on there, and is not over. */
  readonly again?: true;
  /** Of the error, for `fail`. */
  readonly message?: YamlNode;
  readonly writes: readonly Write[];
}

export interface AdmitDoc {
  readonly at: Located;
  readonly when?: ScalarNode;
  readonly allow: AdmitRule['allow'];
}

export interface RouterDoc {
  readonly mode: RouterMode;
  readonly arcs: readonly ArcDoc[];
}

export interface ArcDoc {
  readonly at: Located;
  readonly target: string;
  readonly when?: ScalarNode;
  readonly inputs: readonly MapEntry[];
  readonly writes: readonly Write[];
  /** The rule of `case`, by index, whose action has the arc. */
  readonly rule?: number;
}

/** A write, in any spelling. */
export interface Write {
  readonly scope: 'ctx' | 'iter' | 'step' | 'local';
  readonly path: readonly string[];
  readonly value: YamlNode;
  readonly at: Located;
}

export interface WorkbookTask {
  readonly name: string;
  readonly at: Located;
  readonly tool: MapNode;
}

export type Workbook = ReadonlyMap<string, WorkbookTask>;

/** Tasks of a step outside its pipeline: sinks, called by actions by name, and the claim of a cursor loop. */
export interface Asides {
  add(task: TaskDoc): void;
  /** Parses and stores a sink or a list of them. Returns their names. */
  read(sink: MapEntry, place: TaskPlace, stands: Stand): string[];
}

/** A tool as it is written, with its kind. */
export interface WrittenTool {
  readonly tool: MapNode;
  readonly kind: string;
  readonly declared: ToolKind;
  readonly place: TaskPlace;
  readonly at: Located;
  /** The mapping is under this name: `- fetch: {kind: http}`. */
  readonly label?: MapEntry;
}

/** The name and position of a task in its step. */
export interface TaskPlace {
  readonly report: Report;
  /** The default name. */
  readonly name: string;
  /** In a single tool of kind `workbook` (or `playbook`), `name` is the called task or playbook. */
  readonly single: boolean;
  /** The surrounding step, for inputs and for misplaced fields. */
  readonly step: MapNode;
  readonly workbook: Workbook;
  /** Names of inputs passed by arcs. */
  readonly arriving: ReadonlySet<string>;
  readonly extensions: ToolKinds;
  /** Stores the sinks of the task. */
  readonly asides: Asides;
  /** `retry` of the step, applied to all its tasks. */
  readonly retry?: MapEntry;
  /** Inputs given beside the tool, which override its own. */
  readonly inputs?: readonly MapEntry[];
  /** The task is a sink. */
  readonly stands?: Stand;
}
