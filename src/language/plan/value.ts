import { type Template } from '../template/ir';
import { type Json } from './json';

/**
 * Compiled YAML data that may contain templates. Data without templates is one `const`, however deep; `map` keeps the
 * author's key order.
 */
export type PlanValue =
  | { readonly const: Json }
  | { readonly template: Template }
  | { readonly map: readonly (readonly [key: string, value: PlanValue])[] }
  | { readonly list: readonly PlanValue[] };

/** Line and column, both 1-based, of a node in the playbook's YAML. */
export type SourcePosition = readonly [line: number, column: number];
