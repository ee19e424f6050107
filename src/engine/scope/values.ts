/** Evaluates the plan's data with templates in it. */
import { type Json, type JsonObject, type Value } from '../../plan';
import { condition, evaluate, type Scope, type Template } from '../../template/runtime';
import { type Context } from '../batch';
import { define } from '../state';
import { type Place } from './place';
import { EngineScope } from './scope';
import { deferTemplate, type SecretTable } from './secrets';

/**
 * The JSON a compiled value stands for at this place; undefined becomes null. Templates that read a secret become
 * handles.
 *
 * @param secrets where these handles are kept, when not in the state
 * @throws TemplateError as the templates in it do.
 */
export function valueAt(context: Context, value: Value, place: Place, secrets?: SecretTable): Json {
  if ('const' in value) return value.const;
  return evaluateValue(context, value, new EngineScope(context, place), false, secrets);
}

/** As valueAt, for a value that is a mapping; anything else is an empty mapping. */
export function mappingAt(
  context: Context,
  value: Value | undefined,
  place: Place,
  secrets?: SecretTable,
): JsonObject {
  if (value === undefined) return {};
  const result = valueAt(context, value, place, secrets);
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
  secrets?: SecretTable,
): JsonObject {
  if (!('map' in value)) return mappingAt(context, value, place, secrets);
  const scope = new EngineScope(context, place);
  const fields: JsonObject = {};
  for (const [key, field] of value.map) {
    define(fields, key, evaluateValue(context, field, scope, strict.includes(key), secrets));
  }
  return fields;
}

function evaluateValue(
  context: Context,
  value: Value,
  scope: Scope,
  strict: boolean,
  secrets: SecretTable | undefined,
): Json {
  if ('const' in value) return value.const;
  if ('template' in value) {
    const { template } = value;
    const secret = deferTemplate(context, template, scope, strict, secrets);
    return secret ?? ((evaluate(template, scope, context.environment, strict) ?? null) as Json);
  }
  if ('list' in value) return value.list.map((item) => evaluateValue(context, item, scope, strict, secrets));
  const mapping: JsonObject = {};
  for (const [key, item] of value.map)
    define(mapping, key, evaluateValue(context, item, scope, strict, secrets));
  return mapping;
}
