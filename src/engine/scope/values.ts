/** Evaluates the plan's data that contains templates: values, guards, tool fields, step inputs, numbers. */
import {
  excerpt,
  type Json,
  type JsonObject,
  MAX_VALUE_SIZE,
  type Position,
  secondsOf,
  type Value,
} from '../../plan';
import { condition, type Template } from '../../template/runtime';
import { type Context, EngineError, measured, tooLarge } from '../batch';
import { define, type Frame, type StepRun } from '../state';
import { type Place } from './place';
import { EngineScope } from './scope';
import { deferTemplate } from './secrets';

/**
 * Evaluates a compiled value to JSON at this place; undefined becomes null. Templates that read a secret become
 * handles.
 *
 * @throws TemplateError as the templates in it do; EngineError `VALUE_TOO_LARGE`.
 */
export function valueAt(context: Context, value: Value, place: Place): Json {
  if ('const' in value) return value.const;
  return evaluateWhole(context, value, new EngineScope(context, place), false);
}

/** The parts are measured one by one; what they come to together is what was written meanwhile. */
function evaluateWhole(context: Context, value: Value, scope: EngineScope, strict: boolean): Json {
  const before = context.written;
  const whole = evaluateValue(context, value, scope, strict);
  if (context.written - before > MAX_VALUE_SIZE) throw tooLarge(VALUE);
  return whole;
}

const VALUE = 'the value';

/** Like valueAt, for a mapping; anything else yields an empty mapping. */
export function mappingAt(context: Context, value: Value | undefined, place: Place): JsonObject {
  if (value === undefined) return {};
  const result = valueAt(context, value, place);
  return typeof result === 'object' && result !== null && !Array.isArray(result) ? result : {};
}

/**
 * Whether a guard holds; an absent guard does.
 *
 * @throws TemplateError when the guard does.
 */
export function holds(context: Context, guard: Template | undefined, place: Place): boolean {
  if (guard === undefined) return true;
  const scope = new EngineScope(context, place);
  const verdict = condition(context.evaluate(guard, scope, context.environment));
  context.observer?.guard?.(guard, verdict, scope);
  return verdict;
}

/** Evaluates a tool's fields; in strict fields an undefined value is an error. */
export function configAt(
  context: Context,
  value: Value,
  strict: readonly string[],
  place: Place,
): JsonObject {
  if (!('map' in value)) return mappingAt(context, value, place);
  const scope = new EngineScope(context, place);
  const fields: JsonObject = {};
  const before = context.written;
  for (const [key, field] of value.map) {
    define(fields, key, evaluateValue(context, field, scope, strict.includes(key)));
  }
  if (context.written - before > MAX_VALUE_SIZE) throw tooLarge(VALUE);
  return fields;
}

/**
 * A step's inputs are defaults: the token's arguments override them, except for binding keys. A task's inputs (`outer`:
 * the frame that runs it) override the arguments.
 *
 * @throws TemplateError as the templates in them do; EngineError `VALUE_TOO_LARGE`
 */
export function inputsOver(
  context: Context,
  args: JsonObject,
  { run, outer }: { readonly run: StepRun; readonly outer: Frame | null },
  place: Place,
): JsonObject {
  const step = context.step(run.step);
  const { input } = outer ? context.taskOf(outer) : step;
  if (!input) return args;
  const own = mappingAt(context, input, place);
  if (outer) return measured(context, { ...args, ...own }, INPUTS);
  const inputs = { ...own, ...args };
  for (const key of step.binds ?? []) define(inputs, key, own[key]!);
  return measured(context, inputs, INPUTS);
}

const INPUTS = 'all inputs together';

/** Total number of executions, including the first. */
export const DEFAULT_ATTEMPTS = 3;
export const DEFAULT_DELAY_S = 1;
export const DEFAULT_MAX_DELAY_S = 3600;

/**
 * Evaluates a number; `read`: how a string is parsed, as a number or as a duration (`secondsIn`).
 *
 * @throws EngineError RETRY_NUMBER when the value is not a number; TemplateError as its template does
 */
export function numberAt(
  context: Context,
  value: Value | undefined,
  place: Place,
  fallback: number,
  name: string,
  at: Position,
  read: (text: string) => number = Number,
): number {
  if (value === undefined) return fallback;
  const raw = valueAt(context, value, place);
  const number = typeof raw === 'string' && raw.trim() !== '' ? read(raw) : raw;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw new EngineError('RETRY_NUMBER', `${name} must be a number, got ${excerpt(raw)}`, at);
  }
  return number;
}

/** Seconds of a number (negative allowed: a time that has passed) or of a duration; NaN otherwise. */
export function secondsIn(value: Json): number {
  return secondsOf(value) ?? Number(value);
}

function evaluateValue(context: Context, value: Value, scope: EngineScope, strict: boolean): Json {
  if ('const' in value) return value.const;
  if ('template' in value) {
    const { template } = value;
    const secret = deferTemplate(context, template, scope, strict);
    if (secret) return secret;
    const evaluated = (context.evaluate(template, scope, context.environment, strict) ?? null) as Json;
    return measured(context, evaluated, VALUE);
  }
  if ('list' in value) return value.list.map((item) => evaluateValue(context, item, scope, strict));
  const mapping: JsonObject = {};
  for (const [key, item] of value.map) define(mapping, key, evaluateValue(context, item, scope, strict));
  return mapping;
}
