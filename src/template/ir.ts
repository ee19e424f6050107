/**
 * The expression IR: output of the compiler in the Plan, input of the evaluator. Plain JSON, no functions. A node's
 * `p` is its offset, in UTF-16 units, inside the template string; `Template.at` and `Template.map` locate that
 * string in the YAML document. Field names are short because the Plan is part of the workflow input.
 */

/** A template of the Plan: a single `{{ … }}` (native value) or text with templates in it. */
export type Template = ExpressionTemplate | TextTemplate;

interface Placed {
  readonly source: string;
  /** Line and column (1-based) of the first character of `source` in the YAML document. */
  readonly at?: readonly [number, number];
  /**
   * Where `source` stops matching the document column by column (folded and indented scalars): from `offset` on,
   * the text continues at this line and column. Sorted by offset.
   */
  readonly map?: readonly (readonly [offset: number, line: number, column: number])[];
}

export interface ExpressionTemplate extends Placed {
  readonly kind: 'expression';
  readonly expr: Expr;
}

export interface TextTemplate extends Placed {
  readonly kind: 'text';
  readonly body: readonly Stmt[];
}

export type Expr =
  | LiteralExpr
  | FloatExpr
  | IntegerExpr
  | NameExpr
  | GetExpr
  | ItemExpr
  | SliceExpr
  | CallExpr
  | MethodExpr
  | FilterExpr
  | TestExpr
  | ListExpr
  | TupleExpr
  | DictExpr
  | AndExpr
  | OrExpr
  | NotExpr
  | SignExpr
  | BinaryExpr
  | CompareExpr
  | ConcatExpr
  | ConditionalExpr;

/** A string, integer, boolean or `none`. */
export interface LiteralExpr {
  readonly op: 'lit';
  readonly v: string | number | boolean | null;
}

/** A float literal: separate because `7.0` and `7` are the same number in JSON but different text in Jinja2. */
export interface FloatExpr {
  readonly op: 'float';
  readonly v: number;
}

/** An integer literal beyond 2^53, as its decimal digits. */
export interface IntegerExpr {
  readonly op: 'int';
  readonly v: string;
}

export interface NameExpr {
  readonly op: 'name';
  readonly n: string;
  readonly p: number;
}

/** `o.k` and `o['k']`: attribute or item under a key known at compile time. */
export interface GetExpr {
  readonly op: 'get';
  readonly o: Expr;
  readonly k: string | number;
  readonly p: number;
}

/** `o[i]` with a computed key. */
export interface ItemExpr {
  readonly op: 'item';
  readonly o: Expr;
  readonly i: Expr;
  readonly p: number;
}

/** `o[a:b:c]`. */
export interface SliceExpr {
  readonly op: 'slice';
  readonly o: Expr;
  readonly a?: Expr;
  readonly b?: Expr;
  readonly c?: Expr;
  readonly p: number;
}

/** The arguments of a call: positional, by keyword, `*args` and `**kwargs`. */
export interface Arguments {
  readonly a?: readonly Expr[];
  readonly k?: readonly (readonly [string, Expr])[];
  readonly star?: Expr;
  readonly stars?: Expr;
}

/** A call of a global, a macro, or any callable value. */
export interface CallExpr extends Arguments {
  readonly op: 'call';
  readonly f: Expr;
  readonly p: number;
}

/** `o.n(…)`: methods exist only in this form. */
export interface MethodExpr extends Arguments {
  readonly op: 'method';
  readonly o: Expr;
  readonly n: string;
  readonly p: number;
}

/** `o | n(…)`. Without `o`, inside a filter block, the subject is the block's text. */
export interface FilterExpr extends Arguments {
  readonly op: 'filter';
  readonly o?: Expr;
  readonly n: string;
  readonly p: number;
}

/** `o is n(…)`. */
export interface TestExpr extends Arguments {
  readonly op: 'test';
  readonly o: Expr;
  readonly n: string;
  readonly p: number;
}

export interface ListExpr {
  readonly op: 'list';
  readonly e: readonly Expr[];
}

export interface TupleExpr {
  readonly op: 'tuple';
  readonly e: readonly Expr[];
}

export interface DictExpr {
  readonly op: 'dict';
  readonly e: readonly (readonly [Expr, Expr])[];
  readonly p: number;
}

export interface AndExpr {
  readonly op: 'and';
  readonly l: Expr;
  readonly r: Expr;
}

export interface OrExpr {
  readonly op: 'or';
  readonly l: Expr;
  readonly r: Expr;
}

export interface NotExpr {
  readonly op: 'not';
  readonly e: Expr;
}

export interface SignExpr {
  readonly op: 'neg' | 'pos';
  readonly e: Expr;
  readonly p: number;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

export interface BinaryExpr {
  readonly op: 'bin';
  readonly f: BinaryOperator;
  readonly l: Expr;
  readonly r: Expr;
  readonly p: number;
}

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

/** `l op r op r …`: Python's chained comparison. */
export interface CompareExpr {
  readonly op: 'cmp';
  readonly l: Expr;
  readonly c: readonly (readonly [CompareOperator, Expr])[];
  readonly p: number;
}

/** `a ~ b ~ c`. */
export interface ConcatExpr {
  readonly op: 'concat';
  readonly e: readonly Expr[];
}

/** `t if c else e`; undefined without an else. */
export interface ConditionalExpr {
  readonly op: 'if';
  readonly c: Expr;
  readonly t: Expr;
  readonly e?: Expr;
}

export type Stmt =
  | TextStmt
  | OutputStmt
  | IfStmt
  | ForStmt
  | SetStmt
  | SetBlockStmt
  | WithStmt
  | ScopeStmt
  | FilterStmt
  | MacroStmt
  | CallBlockStmt;

export interface TextStmt {
  readonly op: 'text';
  readonly v: string;
}

export interface OutputStmt {
  readonly op: 'out';
  readonly e: Expr;
  readonly p: number;
}

/** if/elif/…: the first branch whose condition is true. */
export interface IfStmt {
  readonly op: 'if';
  readonly branches: readonly (readonly [Expr, readonly Stmt[]])[];
  readonly otherwise?: readonly Stmt[];
}

/** A name, `namespace.name`, or a (nested) tuple of targets. */
export type Target =
  | { readonly op: 'name'; readonly n: string }
  | { readonly op: 'ns'; readonly n: string; readonly k: string; readonly p: number }
  | { readonly op: 'tuple'; readonly e: readonly Target[]; readonly p: number };

export interface ForStmt {
  readonly op: 'for';
  readonly target: Target;
  readonly in: Expr;
  /** `for x in xs if test`. */
  readonly test?: Expr;
  readonly recursive?: true;
  readonly body: readonly Stmt[];
  readonly otherwise?: readonly Stmt[];
  readonly p: number;
}

export interface SetStmt {
  readonly op: 'set';
  readonly target: Target;
  readonly e: Expr;
  readonly p: number;
}

/** `{% set x | filter %}…{% endset %}`. */
export interface SetBlockStmt {
  readonly op: 'setblock';
  readonly target: Target;
  readonly filter?: Expr;
  readonly body: readonly Stmt[];
  readonly p: number;
}

export interface WithStmt {
  readonly op: 'with';
  readonly sets: readonly (readonly [Target, Expr])[];
  readonly body: readonly Stmt[];
  readonly p: number;
}

/** `{% block x %}`: without inheritance a block is its body, in its own scope. */
export interface ScopeStmt {
  readonly op: 'scope';
  readonly body: readonly Stmt[];
}

export interface FilterStmt {
  readonly op: 'filterblock';
  readonly filter: Expr;
  readonly body: readonly Stmt[];
}

export interface Parameter {
  readonly n: string;
  readonly default?: Expr;
}

/** Names in a macro's body for undeclared arguments. */
export type MacroExtra = 'varargs' | 'kwargs' | 'caller';

export interface MacroStmt {
  readonly op: 'macro';
  readonly n: string;
  readonly params: readonly Parameter[];
  readonly extras?: readonly MacroExtra[];
  readonly body: readonly Stmt[];
}

/** `{% call(params) macro(…) %}…{% endcall %}`. */
export interface CallBlockStmt {
  readonly op: 'callblock';
  readonly call: CallExpr | MethodExpr;
  readonly params: readonly Parameter[];
  readonly extras?: readonly MacroExtra[];
  readonly body: readonly Stmt[];
  readonly p: number;
}
