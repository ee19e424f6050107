/** Evaluates the plan's data that contains templates: values, guards, tool fields, step inputs, numbers. */
import {
  excerpt,
  type Json,
  type JsonObject,
  MAX_VALUE_SIZE,
  type SourcePosition,
  secondsOf,
  type PlanValue,
} from '../../../language/plan';
import { truthOfCondition, type Template } from '../../../language/template/runtime';
import { type Context, EngineError, measured, noteDigits, tooLarge } from '../batch';
import { defineMember, type Frame, type StepRun } from '../state';
import { type EnginePlace } from './place';
import { EngineScope } from './scope';
import { deferTemplate } from './secrets';

/**
 * Evaluates a compiled value to JSON at this place; undefined becomes null. Templates that read a secret become
 * handles.
 *
 * @throws TemplateError as the templates in it do; EngineError `VALUE_TOO_LARGE`.
 */
export function evaluateAt(context: Context, value: PlanValue, place: EnginePlace): Json {
  if ('const' in value) return value.const;
  return evaluateWhole(context, value, new EngineScope(context, place), false);
}

/**
 * Like valueAt, but an undefined value is an error: a misspelled name must not look like nothing to do.
 *
 * @throws TemplateError NT4111 when the template itself is undefined
 */
export function definedAt(context: Context, value: PlanValue, place: EnginePlace): Json {
  if (!('template' in value)) return evaluateAt(context, value, place);
  return evaluateWhole(context, value, new EngineScope(context, place), true);
}

/** The parts are measured one by one; what they come to together is what was written meanwhile. */
function evaluateWhole(context: Context, value: PlanValue, scope: EngineScope, strict: boolean): Json {
  const before = context.written;
  context.rounded = undefined;
  const whole = evaluateValue(context, value, scope, strict);
  if (context.rounded !== undefined) noteRounded(context, value, scope.place);
  if (context.written - before > MAX_VALUE_SIZE) throw tooLarge(VALUE);
  return whole;
}

const VALUE = 'the value';

/** Says that `fromjson` read a decimal that lost digits. */
function noteRounded(context: Context, value: PlanValue, { run, frame }: EnginePlace): void {
  const what = `a template read ${context.rounded!.slice(0, 40)} from JSON`;
  const at = positionOf(value);
  if (at) noteDigits(context, what, at, { run, index: frame?.index ?? null });
}

/** Where the first template that reads JSON stands. */
function positionOf(value: PlanValue): SourcePosition | undefined {
  if ('template' in value) return value.template.source.includes('fromjson') ? value.template.at : undefined;
  const parts = 'list' in value ? value.list : 'map' in value ? value.map.map(([, item]) => item) : [];
  for (const part of parts) {
    const at = positionOf(part);
    if (at) return at;
  }
  return undefined;
}

/** Like valueAt, for a mapping; anything else yields an empty mapping. */
export function mappingAt(context: Context, value: PlanValue | undefined, place: EnginePlace): JsonObject {
  if (value === undefined) return {};
  const result = evaluateAt(context, value, place);
  return typeof result === 'object' && result !== null && !Array.isArray(result) ? result : {};
}

/**
 * Whether a guard holds; an absent guard does.
 *
 * @throws TemplateError when the guard does.
 */
export function holds(context: Context, guard: Template | undefined, place: EnginePlace): boolean {
  if (guard === undefined) return true;
  const scope = new EngineScope(context, place);
  context.rounded = undefined;
  const verdict = truthOfCondition(context.evaluate(guard, scope, context.environment));
  if (context.rounded !== undefined) noteRounded(context, { template: guard }, place);
  context.observer?.guard?.(guard, verdict, scope);
  return verdict;
}

/** Evaluates a tool's fields; in strict fields an undefined value is an error. */
export function configAt(
  context: Context,
  value: PlanValue,
  strict: readonly string[],
  place: EnginePlace,
): JsonObject {
  if (!('map' in value)) return mappingAt(context, value, place);
  const scope = new EngineScope(context, place);
  const fields: JsonObject = {};
  const before = context.written;
  context.rounded = undefined;
  for (const [key, field] of value.map) {
    defineMember(fields, key, evaluateValue(context, field, scope, strict.includes(key)));
  }
  if (context.rounded !== undefined) noteRounded(context, value, place);
  if (context.written - before > MAX_VALUE_SIZE) throw tooLarge(VALUE);
  return fields;
}

/** The templates in a value that are undefined where it became null. */
export function undefinedIn(context: Context, value: PlanValue, became: Json, place: EnginePlace): string[] {
  const scope = new EngineScope(context, place);
  const within = (part: PlanValue, is: Json | undefined): string[] => {
    if ('template' in part) {
      const { template } = part;
      const isMissing = is === null && context.evaluate(template, scope, context.environment) === undefined;
      return isMissing ? [template.source] : [];
    }
    if ('list' in part) return part.list.flatMap((item, index) => within(item, (is as Json[])[index]));
    return 'map' in part ? part.map.flatMap(([key, item]) => within(item, (is as JsonObject)[key])) : [];
  };
  return within(value, became);
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
  place: EnginePlace,
): JsonObject {
  const step = context.step(run.step);
  const { input, given } = outer ? context.taskOf(outer) : { ...step, given: undefined };
  if (!input) return args;
  const around = given ? { ...args, ...mappingAt(context, given, place) } : args;
  const own = mappingAt(context, input, given ? { ...place, input: around } : place);
  if (outer) return measured(context, { ...around, ...own }, INPUTS);
  const inputs = { ...own, ...args };
  for (const key of step.binds ?? []) defineMember(inputs, key, own[key]!);
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
  value: PlanValue | undefined,
  place: EnginePlace,
  fallback: number,
  name: string,
  at: SourcePosition,
  read: (text: string) => number = Number,
): number {
  if (value === undefined) return fallback;
  const raw = evaluateAt(context, value, place);
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

function evaluateValue(context: Context, value: PlanValue, scope: EngineScope, strict: boolean): Json {
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
  for (const [key, item] of value.map)
    defineMember(mapping, key, evaluateValue(context, item, scope, strict));
  return mapping;
}
