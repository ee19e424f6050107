import { type Template } from '../template/ir';
import { type Json } from './json';

/**
 * Compiled YAML data that may contain templates. Data without templates is one `const`, however deep; `map` keeps the
 * author's key order.
 */
export type Value =
  | { readonly const: Json }
  | { readonly template: Template }
  | { readonly map: readonly (readonly [key: string, value: Value])[] }
  | { readonly list: readonly Value[] };

/** Line and column, both 1-based, of a node in the playbook's YAML. */
export type Position = readonly [line: number, column: number];
