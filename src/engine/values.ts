/** Evaluates the plan's data with templates in it. */
import { type Json, type JsonObject, type Value } from '../plan';
import { condition, evaluate, type Scope, type Template } from '../template/runtime';
import { type Context } from './context';
import { define } from './record';
import { EngineScope, type Place } from './scope';

/**
 * The JSON a compiled value stands for at this place; undefined becomes null.
 *
 * @throws TemplateError as the templates in it do.
 */
export function valueAt(context: Context, value: Value, place: Place): Json {
  if ('const' in value) return value.const;
  return evaluateValue(context, value, new EngineScope(context, place));
}

/** As valueAt, for a value that is a mapping; anything else is an empty mapping. */
export function mappingAt(context: Context, value: Value | undefined, place: Place): JsonObject {
  if (value === undefined) return {};
  const result = valueAt(context, value, place);
  return typeof result === 'object' && result !== null && !Array.isArray(result) ? result : {};
}

/**
 * Whether a guard holds (D8). Absent: it does.
 *
 * @throws TemplateError as the guard does.
 */
export function holds(context: Context, guard: Template | undefined, place: Place): boolean {
  if (guard === undefined) return true;
  const scope = new EngineScope(context, place);
  const held = condition(evaluate(guard, scope, context.environment));
  context.observer?.guard?.(guard, held, scope);
  return held;
}

/** A tool's fields; in the strict ones an undefined value is an error (D7). */
export function configAt(
  context: Context,
  value: Value,
  strict: readonly string[],
  place: Place,
): JsonObject {
  if (!('map' in value)) return mappingAt(context, value, place);
  const scope = new EngineScope(context, place);
  const fields: JsonObject = {};
  for (const [key, field] of value.map) {
    define(fields, key, evaluateValue(context, field, scope, strict.includes(key)));
  }
  return fields;
}

function evaluateValue(context: Context, value: Value, scope: Scope, strict = false): Json {
  if ('const' in value) return value.const;
  if ('template' in value)
    return (evaluate(value.template, scope, context.environment, strict) ?? null) as Json;
  if ('list' in value) return value.list.map((item) => evaluateValue(context, item, scope, strict));
  const mapping: JsonObject = {};
  for (const [key, item] of value.map) define(mapping, key, evaluateValue(context, item, scope, strict));
  return mapping;
}
