import { type AdmitRule, type Backoff, type Directive, type RouterMode } from '../../plan';
import { type Located } from '../diagnostics/diagnostic';
import { type Entry, type MapNode, type Node, type ScalarNode } from '../yaml/node';

/**
 * The playbook after its spelling is gone: what the three vocabularies have in common, still as positioned YAML
 * nodes. Everything after this stage knows one language.
 */
export interface Document {
  readonly root: MapNode;
  readonly metadata: { name: string; path: string; version?: string; description?: string };
  readonly workload?: MapNode;
  readonly keychain: readonly { readonly name: string; readonly kind: string; readonly node: MapNode }[];
  readonly executorSpec?: MapNode;
  readonly steps: readonly StepDoc[];
  /** Tasks of the workbook that no step calls: checked, and not in the plan. */
  readonly uncalled: readonly TaskDoc[];
  readonly entry: { readonly name: string; readonly at: Located };
}

export interface StepDoc {
  readonly name: string;
  readonly at: Located;
  readonly node: MapNode;
  readonly desc?: string;
  readonly spec?: MapNode;
  readonly inputs: readonly Entry[];
  readonly loop?: LoopDoc;
  readonly tasks: readonly TaskDoc[];
  readonly pipeline: boolean;
  readonly writes: readonly Write[];
  readonly router?: RouterDoc;
  /** Steps that a construct of the `case` vocabulary leads to. */
  readonly otherTargets: readonly string[];
}

export interface LoopDoc {
  readonly at: Located;
  readonly in: Node;
  readonly iterator: string;
  readonly iteratorAt: Located;
  readonly mode: 'sequential' | 'parallel';
  readonly maxInFlight?: Node;
  readonly exec: 'distributed' | 'local' | 'inline';
  readonly spec?: MapNode;
}

export interface TaskDoc {
  readonly name: string;
  readonly at: Located;
  readonly kind: string;
  /** The tool's own fields. */
  readonly fields: readonly Entry[];
  readonly inputs: readonly Entry[];
  readonly spec?: MapNode;
  readonly rules?: readonly RuleDoc[];
  readonly writes: readonly Write[];
}

export interface RuleDoc {
  readonly at: Located;
  /** Absent for `else`. */
  readonly when?: ScalarNode;
  readonly do: Directive;
  readonly attempts?: Node;
  readonly backoff?: Backoff;
  readonly delay?: Node;
  readonly maxDelay?: Node;
  readonly to?: { readonly name: string; readonly at: Located };
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
  readonly inputs: readonly Entry[];
  readonly writes: readonly Write[];
}

/** One write, whatever key spelled it. */
export interface Write {
  readonly scope: 'ctx' | 'iter' | 'step' | 'local';
  readonly path: readonly string[];
  readonly value: Node;
  readonly at: Located;
}

export interface WorkbookTask {
  readonly name: string;
  readonly at: Located;
  readonly tool: MapNode;
}

export type Workbook = ReadonlyMap<string, WorkbookTask>;

/** How a task is called in its step, and where it stands. */
export interface TaskPlace {
  /** The name it has unless it names itself. */
  readonly name: string;
  /** In a single tool of kind `workbook` (or `playbook`), `name` is what is called. */
  readonly single: boolean;
  /** The step around it, for inputs and for fields that stand at the wrong level. */
  readonly step: MapNode;
  readonly workbook: Workbook;
  /** Names of inputs that arcs bring here. */
  readonly arriving: ReadonlySet<string>;
}
