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

/** Offsets of nodes that can fail or name something. */
interface At {
  readonly p: number;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';
export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

/** The arguments of a call: positional, by keyword, `*args` and `**kwargs`. */
export interface Arguments {
  readonly a?: readonly Expr[];
  readonly k?: readonly (readonly [string, Expr])[];
  readonly star?: Expr;
  readonly stars?: Expr;
}

export type Expr =
  /** A string, integer, boolean or `none`. */
  | { readonly op: 'lit'; readonly v: string | number | boolean | null }
  /** A float literal: separate because `7.0` and `7` are the same number in JSON but different text in Jinja2. */
  | { readonly op: 'float'; readonly v: number }
  /** An integer literal beyond 2^53, as its decimal digits. */
  | { readonly op: 'int'; readonly v: string }
  | ({ readonly op: 'name'; readonly n: string } & At)
  /** `o.k` and `o['k']`: attribute or item under a key known at compile time. */
  | ({ readonly op: 'get'; readonly o: Expr; readonly k: string | number } & At)
  /** `o[i]` with a computed key. */
  | ({ readonly op: 'item'; readonly o: Expr; readonly i: Expr } & At)
  /** `o[a:b:c]`. */
  | ({ readonly op: 'slice'; readonly o: Expr; readonly a?: Expr; readonly b?: Expr; readonly c?: Expr } & At)
  /** A call of a global, a macro, or any callable value. */
  | ({ readonly op: 'call'; readonly f: Expr } & Arguments & At)
  /** `o.n(…)`: methods exist only in this form. */
  | ({ readonly op: 'method'; readonly o: Expr; readonly n: string } & Arguments & At)
  /** `o | n(…)`. Without `o`, inside a filter block, the subject is the block's text. */
  | ({ readonly op: 'filter'; readonly o?: Expr; readonly n: string } & Arguments & At)
  /** `o is n(…)`. */
  | ({ readonly op: 'test'; readonly o: Expr; readonly n: string } & Arguments & At)
  | { readonly op: 'list' | 'tuple'; readonly e: readonly Expr[] }
  /** `a ~ b ~ c`. */
  | { readonly op: 'concat'; readonly e: readonly Expr[] }
  | ({ readonly op: 'dict'; readonly e: readonly (readonly [Expr, Expr])[] } & At)
  | { readonly op: 'and' | 'or'; readonly l: Expr; readonly r: Expr }
  | { readonly op: 'not'; readonly e: Expr }
  | ({ readonly op: 'neg' | 'pos'; readonly e: Expr } & At)
  | ({ readonly op: 'bin'; readonly f: BinaryOperator; readonly l: Expr; readonly r: Expr } & At)
  /** `l op r op r …`: Python's chained comparison. */
  | ({ readonly op: 'cmp'; readonly l: Expr; readonly c: readonly (readonly [CompareOperator, Expr])[] } & At)
  /** `t if c else e`; undefined without an else. */
  | { readonly op: 'if'; readonly c: Expr; readonly t: Expr; readonly e?: Expr };

/** An expression with this operator. */
export type ExprOf<Op extends Expr['op']> = Extract<Expr, { readonly op: Op }>;

/** A name, `namespace.name`, or a (nested) tuple of targets. */
export type AssignmentTarget =
  | { readonly op: 'name'; readonly n: string }
  | { readonly op: 'ns'; readonly n: string; readonly k: string; readonly p: number }
  | { readonly op: 'tuple'; readonly e: readonly AssignmentTarget[]; readonly p: number };

export type Stmt =
  | { readonly op: 'text'; readonly v: string }
  | ({ readonly op: 'out'; readonly e: Expr } & At)
  /** if/elif/…: the first branch whose condition is true. */
  | {
      readonly op: 'if';
      readonly branches: readonly (readonly [Expr, readonly Stmt[]])[];
      readonly otherwise?: readonly Stmt[];
    }
  | ({
      readonly op: 'for';
      readonly target: AssignmentTarget;
      readonly in: Expr;
      /** `for x in xs if test`. */
      readonly test?: Expr;
      readonly recursive?: true;
      readonly otherwise?: readonly Stmt[];
    } & Body &
      At)
  | ({ readonly op: 'set'; readonly target: AssignmentTarget; readonly e: Expr } & At)
  /** `{% set x | filter %}…{% endset %}`. */
  | ({ readonly op: 'setblock'; readonly target: AssignmentTarget; readonly filter?: Expr } & Body & At)
  | ({ readonly op: 'with'; readonly sets: readonly (readonly [AssignmentTarget, Expr])[] } & Body & At)
  /** `{% block x %}`: without inheritance a block is its body, in its own scope. */
  | ({ readonly op: 'scope' } & Body)
  | ({ readonly op: 'filterblock'; readonly filter: Expr } & Body)
  | ({ readonly op: 'macro'; readonly n: string } & MacroBody)
  /** `{% call(params) macro(…) %}…{% endcall %}`. */
  | ({ readonly op: 'callblock'; readonly call: ExprOf<'call' | 'method'> } & MacroBody & At);

/** A statement with this operator. */
export type StmtOf<Op extends Stmt['op']> = Extract<Stmt, { readonly op: Op }>;

interface Body {
  readonly body: readonly Stmt[];
}

export interface MacroParameter {
  readonly n: string;
  readonly default?: Expr;
}

/** Names in a macro's body for undeclared arguments. */
export type MacroExtra = 'varargs' | 'kwargs' | 'caller';

export interface MacroBody extends Body {
  readonly params: readonly MacroParameter[];
  readonly extras?: readonly MacroExtra[];
}
