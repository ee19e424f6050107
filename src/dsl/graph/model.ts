/** The steps of a playbook and the ways between them, for pictures and for programs that look at playbooks. */
export interface Graph {
  readonly name: string;
  readonly path: string;
  readonly entry: string;
  /** In the order of the document; last the end of tokens, where an arc leads to `end` and no step has that name. */
  readonly nodes: readonly GraphNode[];
  /** By step, in the order in which they are tried. */
  readonly arcs: readonly GraphArc[];
}

export interface GraphNode {
  /** The name of the step, or null for the end of tokens. */
  readonly step: string | null;
  readonly desc?: string;
  /** The kinds of its tools, in order, doubles left out. */
  readonly kinds: readonly string[];
  readonly tasks: readonly string[];
  readonly loop?: {
    readonly iterator: string;
    readonly mode: 'sequential' | 'parallel';
    readonly max?: number;
  };
  readonly entry: boolean;
  /** No arc leaves it: tokens end here. */
  readonly end: boolean;
  /** An inclusive router with several arcs: several tokens may leave. */
  readonly fork: boolean;
  /** Branches of a fork meet here and go on as one token. */
  readonly join: boolean;
  readonly reachable: boolean;
  readonly line?: number;
}

export interface GraphArc {
  readonly from: string;
  /** Null for the end of tokens. */
  readonly to: string | null;
  /** The guard without its braces, in full; absent where the arc always matches. */
  readonly when?: string;
  /** Without a guard, and tried after arcs with one. */
  readonly otherwise: boolean;
  /** Its guard looks at a failure of the step. */
  readonly failure: boolean;
  /** One of several tokens of a fork goes here. */
  readonly fork: boolean;
  /** The rule of `case`, by index, whose action it is. */
  readonly rule?: number;
}
