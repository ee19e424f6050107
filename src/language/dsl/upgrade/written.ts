import { type Assignment, type Json, type PlanValue } from '../../plan';
import { type Template } from '../../template/ir';

/** A YAML mapping to be printed. */
export type WrittenFields = Record<string, unknown>;

/** A rule with its condition, or `else`. */
export function clause(when: Template | undefined, then: WrittenFields | WrittenFields[]): WrittenFields {
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
export function assignments(set: readonly Assignment[]): WrittenFields {
  if (set.length === 0) return {};
  const entries = set.map(({ scope, path, value }) => {
    const key = path.join('.');
    return [scope === 'local' ? key : `${scope}.${key}`, writtenValue(value)] as const;
  });
  return { set: Object.fromEntries(entries) };
}

/** The entry, unless it has no value. */
export function optionalField(key: string, value: PlanValue | undefined): WrittenFields {
  return value === undefined ? {} : { [key]: writtenValue(value) };
}

/** The entry, unless it is an empty mapping or list. */
export function filled(key: string, data: unknown): WrittenFields {
  return typeof data === 'object' && data !== null && Object.keys(data).length === 0 ? {} : { [key]: data };
}

/** `when`, unless there is no condition. */
export function guarded(when: Template | undefined, key = 'when'): WrittenFields {
  return when === undefined ? {} : { [key]: condition(when) };
}

/** The value as written by its author. */
export function writtenValue(value: PlanValue): unknown {
  if ('const' in value) return value.const;
  if ('template' in value) return value.template.source;
  if ('list' in value) return value.list.map(writtenValue);
  return Object.fromEntries(value.map.map(([key, each]) => [key, writtenValue(each)]));
}
