/**
 * The expression IR: what the compiler puts into the Plan and the evaluator walks. Plain JSON, no functions.
 * A node's `p` is its offset, in UTF-16 units, inside the template string it came from; `Template.at` places
 * that string in the YAML document.
 */

/** A template of the Plan: one sole `{{ … }}` (native value, D5) or text with templates in it. */
export type Template = ExpressionTemplate | TextTemplate;

export interface ExpressionTemplate {
  readonly kind: 'expression';
  readonly expr: Expr;
  readonly source: string;
  /** Line and column (1-based) of the first character of `source` in the YAML document. */
  readonly at?: readonly [number, number];
}

export interface TextTemplate {
  readonly kind: 'text';
  readonly body: readonly Stmt[];
  readonly source: string;
  readonly at?: readonly [number, number];
}

export type Expr = { readonly op: string; readonly p?: number } & Record<string, unknown>;
export type Stmt = { readonly op: string; readonly p?: number } & Record<string, unknown>;
