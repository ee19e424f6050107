/** Checks an execution's inputs before it starts and reports every invalid one. */
import { isMapping, type Json, type JsonObject } from '../json';
import { handleOf } from '../secret';
import { type InputSchema, type InputType } from './schema';

export interface WrongInput {
  /** `workload.limits.pages`, `workload.cities[2]`. */
  readonly at: string;
  readonly message: string;
}

/**
 * A handle is accepted for any type: only a worker that needs the secret knows its value.
 *
 * @param defaulted keys that have a value without the payload
 * @param payload merged over them
 * @param root what the places of wrong values begin with
 */
export function checkInputs(
  schemas: ReadonlyMap<string, InputSchema>,
  defaulted: ReadonlySet<string>,
  payload: JsonObject,
  root = 'workload',
): WrongInput[] {
  return [...schemas].flatMap(([key, schema]) => {
    const at = `${root}.${key}`;
    if (Object.hasOwn(payload, key)) return check(payload[key]!, schema, at);
    return schema.required && !defaulted.has(key) ? [{ at, message: 'is required' }] : [];
  });
}

function check(value: Json, schema: InputSchema, at: string): WrongInput[] {
  if (handleOf(value)) return [];
  if (value === null && schema.required && !schema.types?.includes('null'))
    return [{ at, message: 'is required' }];
  const { types, options } = schema;
  // An optional input may be null.
  if (value === null && !schema.required) return [];
  if (types && !types.some((type) => IS[type](value))) {
    return [
      { at, message: `must be ${types.map((type) => NAMES[type]).join(' or ')}, not ${nameOf(value)}` },
    ];
  }
  if (options && !options.some((option) => equal(option, value))) {
    return [{ at, message: `must be one of ${options.map((option) => JSON.stringify(option)).join(', ')}` }];
  }
  if (typeof value === 'number') return checkNumber(value, schema, at);
  if (typeof value === 'string') return checkText(value, schema, at);
  if (Array.isArray(value)) return checkList(value, schema, at);
  return isMapping(value) ? checkMapping(value as JsonObject, schema, at) : [];
}

function checkNumber(value: number, { minimum, maximum }: InputSchema, at: string): WrongInput[] {
  if (minimum !== undefined && value < minimum) return [{ at, message: `must be at least ${minimum}` }];
  if (maximum !== undefined && value > maximum) return [{ at, message: `must be at most ${maximum}` }];
  return [];
}

function checkText(value: string, { minLength, maxLength }: InputSchema, at: string): WrongInput[] {
  const length = [...value].length;
  if (minLength !== undefined && length < minLength)
    return [{ at, message: `must have at least ${minLength} characters` }];
  if (maxLength !== undefined && length > maxLength)
    return [{ at, message: `must have at most ${maxLength} characters` }];
  return [];
}

function checkList(value: readonly Json[], { items }: InputSchema, at: string): WrongInput[] {
  return items ? value.flatMap((item, index) => check(item, items, `${at}[${index}]`)) : [];
}

function checkMapping(value: JsonObject, { properties, closed }: InputSchema, at: string): WrongInput[] {
  const wrong = [...(properties ?? [])].flatMap(([key, schema]) => {
    const inner = `${at}.${key}`;
    if (Object.hasOwn(value, key)) return check(value[key]!, schema, inner);
    return schema.required ? [{ at: inner, message: 'is required' }] : [];
  });
  const others = closed ? Object.keys(value).filter((key) => !properties?.has(key)) : [];
  return [...wrong, ...others.map((key) => ({ at: `${at}.${key}`, message: 'is not an input' }))];
}

const IS: Readonly<Record<InputType, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => typeof value === 'number' && Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isMapping,
  null: (value) => value === null,
};

const NAMES: Readonly<Record<InputType, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'null',
};

function nameOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return 'a number';
  return typeof value === 'object' ? 'a mapping' : typeof value === 'string' ? 'a string' : String(value);
}

function equal(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
