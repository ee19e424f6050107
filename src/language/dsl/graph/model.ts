/** The steps of a playbook and their transitions, for pictures and programs. */
export interface Graph {
  readonly name: string;
  readonly path: string;
  readonly entry: string;
  /** In document order; last the end of tokens, if an arc leads to `end` and no step has that name. */
  readonly nodes: readonly GraphNode[];
  /** By step, in evaluation order. */
  readonly arcs: readonly GraphArc[];
}

export interface GraphNode {
  /** The name of the step, or null for the end of tokens. */
  readonly step: string | null;
  readonly desc?: string;
  /** The kinds of its tools, in order, without duplicates. */
  readonly kinds: readonly string[];
  readonly tasks: readonly string[];
  readonly loop?: {
    readonly iterator: string;
    readonly mode: 'sequential' | 'parallel' | 'cursor';
    readonly max?: number;
  };
  readonly entry: boolean;
  /** Without outgoing arcs: tokens end here. */
  readonly end: boolean;
  /** An inclusive router with several arcs: it may emit several tokens. */
  readonly fork: boolean;
  /** Branches of a fork meet here and continue as one token. */
  readonly join: boolean;
  readonly reachable: boolean;
  readonly line?: number;
  /** How often the runs of a coverage came here (`coverage`); absent without one. */
  readonly taken?: number;
  /** Of a coverage: the rules of the step that no run touched, in words. */
  readonly untouched?: readonly string[];
}

export interface GraphArc {
  readonly from: string;
  /** Null for the end of tokens. */
  readonly to: string | null;
  /** The full guard without its braces; absent if the arc always matches. */
  readonly when?: string;
  /** Without a guard, and evaluated after arcs with one. */
  readonly otherwise: boolean;
  /** Its guard tests for a failure of the step. */
  readonly failure: boolean;
  /** Taken by one of several tokens of a fork. */
  readonly fork: boolean;
  /** The rule of `case`, by index, whose action it is. */
  readonly rule?: number;
  /** How often the runs of a coverage took it; absent without one. */
  readonly taken?: number;
}
