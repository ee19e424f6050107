import { type PlainType } from '../../kinds/declaration';
import { type Code } from '../diagnostics/codes';
import { type Words } from './words';

/**
 * What a mapping of the language may hold, as a table: the checker, the JSON Schema and the reference all read it.
 */
export interface Shape {
  /** With its article: `a step`, `an arc`. */
  readonly title: string;
  readonly fields: Readonly<Record<string, Field>>;
  /**
   * What an unlisted key is: `error`; `warning` (it has no effect); `open` (it is data). A close misspelling of a
   * listed key is an error except in an open shape, where it is a warning. What is `judged` is left to the code that
   * reads it.
   */
  readonly others: 'error' | 'warning' | 'open' | 'judged';
  /** Unlisted keys that have a meaning in another place, with a hint that names it. */
  readonly elsewhere?: (key: string) => string | undefined;
  /** What other products call a key: `if` is `when` here. */
  readonly words?: Words;
}

export interface Field {
  readonly type: Type;
  readonly doc: string;
  readonly required?: true;
  /** What to write, where a value is of another type. */
  readonly example?: string;
  /** The key is refused with this code. */
  readonly rejected?: { readonly code: Code; readonly message: string; readonly hint: string };
  /** The key still works, with this code (NT5xxx). */
  readonly deprecated?: { readonly code: Code; readonly hint: string };
  /** Parsed and kept, without effect in this version. */
  readonly placeholder?: true;
}

export type Type =
  | PlainType
  | { readonly values: readonly string[] }
  /** One of these in any case, or a template. */
  | { readonly words: readonly string[] }
  | { readonly shape: () => Shape }
  | { readonly list: Type }
  /** The alternatives differ by the kind of node: scalar, list or mapping. */
  | { readonly either: readonly Type[] };

/** What a value of the type is, for messages. */
export function typeName(type: Type): string {
  if (typeof type === 'string') return TYPE_NAMES[type];
  if ('values' in type) return `one of ${type.values.join(', ')}`;
  if ('words' in type) return `one of ${type.words.join(', ')} (or a template)`;
  if ('shape' in type) return 'a mapping';
  if ('list' in type) return 'a list';
  return type.either.map(typeName).join(' or ');
}

const TYPE_NAMES = {
  text: 'a string',
  name: 'a name',
  boolean: 'true or false',
  amount: 'a number (or a template)',
  duration: 'a number of seconds or a duration such as `5m` or `PT5M` (or a template)',
  count: 'a whole number from 1 (or a template)',
  condition: 'a template',
  flag: 'true or false (or a template)',
  template: 'a template',
  any: 'any value',
  mapping: 'a mapping',
} as const;
