import { type Assignment, type Json, type Value } from '../../plan';
import { type Template } from '../../template/ir';

/** A YAML mapping to be printed. */
export type Fields = Record<string, unknown>;

/** A rule with its condition, or `else`. */
export function clause(when: Template | undefined, then: Fields | Fields[]): Fields {
  return when === undefined ? { else: { then } } : { when: condition(when), then };
}

/** Adds braces to a condition written without them; `true` stays `true`. */
function condition(template: Template): Json {
  if (template.kind === 'expression' && template.expr.op === 'lit' && !template.source.includes('{{')) {
    return template.expr.v;
  }
  return /\{[{%]/.test(template.source) ? template.source : `{{ ${template.source} }}`;
}

/** `set` of the assignments. */
export function assignments(set: readonly Assignment[]): Fields {
  if (set.length === 0) return {};
  const entries = set.map(({ scope, path, value }) => {
    const key = path.join('.');
    return [scope === 'local' ? key : `${scope}.${key}`, written(value)] as const;
  });
  return { set: Object.fromEntries(entries) };
}

/** The entry, unless it has no value. */
export function optional(key: string, value: Value | undefined): Fields {
  return value === undefined ? {} : { [key]: written(value) };
}

/** The entry, unless it is an empty mapping or list. */
export function filled(key: string, data: unknown): Fields {
  return typeof data === 'object' && data !== null && Object.keys(data).length === 0 ? {} : { [key]: data };
}

/** `when`, unless there is no condition. */
export function guarded(when: Template | undefined, key = 'when'): Fields {
  return when === undefined ? {} : { [key]: condition(when) };
}

/** The value as written by its author. */
export function written(value: Value): unknown {
  if ('const' in value) return value.const;
  if ('template' in value) return value.template.source;
  if ('list' in value) return value.list.map(written);
  return Object.fromEntries(value.map.map(([key, each]) => [key, written(each)]));
}
