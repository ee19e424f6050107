import { type PlainType } from '../../kinds/declaration';
import { type DiagnosticCode } from '../diagnostics/codes';
import { type Change } from '../fixes/words';
import { type SchemaWords } from './words';

/**
 * The allowed contents of a mapping of the language as a table, used by the checker, the JSON Schema and the
 * reference.
 */
export interface SchemaShape {
  /** With an article: `a step`, `an arc`. */
  readonly title: string;
  readonly fields: Readonly<Record<string, SchemaField>>;
  /**
   * How unlisted keys are treated: `error`; `warning` (no effect); `open` (data); `judged` (checked by the code
   * that reads it). A close misspelling of a listed key is an error, except in an open shape, where it is a
   * warning.
   */
  readonly others: 'error' | 'warning' | 'open' | 'judged';
  /** Hints for unlisted keys that have a meaning elsewhere. */
  readonly elsewhere?: (key: string) => string | undefined;
  /** Names of keys in other products: `if` is `when` here. */
  readonly words?: SchemaWords;
}

/** A mapping with these fields; `others`: how unlisted keys are treated. */
export function shape(
  title: string,
  others: SchemaShape['others'] | Unlisted,
  fields: SchemaShape['fields'],
): SchemaShape {
  return { title, ...(typeof others === 'string' ? { others } : others), fields };
}

type Unlisted = Omit<SchemaShape, 'title' | 'fields'>;

/** How unlisted keys are treated, where some of them have a meaning. */
export function unlisted(
  others: SchemaShape['others'],
  words?: SchemaWords,
  elsewhere?: SchemaShape['elsewhere'],
): Unlisted {
  return { others, words, elsewhere };
}

export interface SchemaField {
  readonly type: Type;
  readonly doc: string;
  readonly required?: true;
  /** What to write if a value has the wrong type. */
  readonly example?: string;
  /** The key that a number here is read as. */
  readonly numberAs?: string;
  /** The key is rejected with this code. */
  readonly rejected?: {
    readonly code: DiagnosticCode;
    readonly message: string;
    readonly hint: string;
    readonly fix?: Change;
  };
  /** The key is accepted, with this code (NT5xxx). */
  readonly deprecated?: { readonly code: DiagnosticCode; readonly hint: string; readonly fix: Change };
  /** Accepted without effect: reserved, or the reason. */
  readonly placeholder?: true | string;
}

export type Type =
  | PlainType
  | { readonly values: readonly string[] }
  /** One of these words in any case, or a template. */
  | { readonly words: readonly string[] }
  | { readonly shape: () => SchemaShape }
  | { readonly list: Type }
  /** The alternatives differ by the kind of node: scalar, list or mapping. */
  | { readonly either: readonly Type[] };

/** The description of a type for messages. */
export function schemaTypeName(type: Type): string {
  if (typeof type === 'string') return TYPE_NAMES[type];
  if ('values' in type) return `one of ${type.values.join(', ')}`;
  if ('words' in type) return `one of ${type.words.join(', ')} (or a template)`;
  if ('shape' in type) return 'a mapping';
  if ('list' in type) return 'a list';
  return type.either.map(schemaTypeName).join(' or ');
}

const TYPE_NAMES = {
  text: 'a string',
  name: 'a name',
  boolean: 'true or false',
  amount: 'a number (or a template)',
  duration: 'a number of seconds or a duration such as `5m` or `PT5M` (or a template)',
  limit: 'a number of seconds above 0 or a duration such as `5m` or `PT5M` (or a template)',
  count: 'a whole number from 1 (or a template)',
  condition: 'a template',
  flag: 'true or false (or a template)',
  template: 'a template',
  any: 'any value',
  mapping: 'a mapping',
} as const;
