/** The values of the names in a guard, as they were when it was evaluated. */
import { excerpt, type Json, jsonSize } from '../../language/plan';
import {
  evaluate,
  type Expr,
  type TemplateReference,
  references,
  type TemplateScope,
  type Template,
} from '../../language/template/runtime';

/** A guard and the values of its names. */
export interface Observation {
  readonly guard: Template;
  readonly isTrue: boolean;
  /** `output.error.code` → its value; long ones are truncated. */
  readonly values: Readonly<Record<string, Json>>;
}

/** Names whose values never leave the workers. */
const SECRET_ROOTS = ['keychain', 'auth'];
const MAX_NAMES = 12;
const MAX_TEXT = 120;
/** Inspecting a value must not consume the run's random numbers. */
const still = { now: () => 0, random: () => 0 };

export function observe(guard: Template, isTrue: boolean, scope: TemplateScope): Observation {
  const values: Record<string, Json> = {};
  for (const reference of references(guard)) {
    const name = nameOf(reference);
    if (reference.kind !== 'name' || SECRET_ROOTS.includes(reference.root) || name in values) continue;
    if (Object.keys(values).length >= MAX_NAMES) break;
    values[name] = valueOf(reference, scope);
  }
  return { guard, isTrue, values };
}

function nameOf({ root, path }: TemplateReference): string {
  return path.reduce<string>(
    (name, key) =>
      typeof key === 'number'
        ? `${name}[${key}]`
        : /^\w+$/.test(key)
          ? `${name}.${key}`
          : `${name}['${key}']`,
    root,
  );
}

function valueOf(reference: TemplateReference, scope: TemplateScope): Json {
  const name: Expr = { op: 'name', n: reference.root, p: 0 };
  const expr = reference.path.reduce<Expr>((o, k) => ({ op: 'get', o, k, p: 0 }), name);
  try {
    const value = evaluate({ kind: 'expression', source: '', expr }, scope, still);
    return value === undefined ? '(undefined)' : cut(value as Json);
  } catch (error) {
    return `(${(error as Error).message})`;
  }
}

/** Explanations are for people: long values are truncated. */
function cut(value: Json): Json {
  if (jsonSize(value) <= MAX_TEXT) return value;
  const size = Array.isArray(value) ? `list of ${value.length}: ` : '';
  return `${size}${excerpt(value, MAX_TEXT)}`;
}
