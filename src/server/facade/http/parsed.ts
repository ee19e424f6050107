/** What a request brings, as the schemas of its route want it. */
import { type z } from 'zod';
import { isMapping } from '../../../language/plan';
import { editDistance, nearest } from '../../../language/template/suggest';
import { FacadeError } from './errors';

/** @throws FacadeError 422 `VALIDATION` naming every invalid field; `at` is the first */
export function parsed<T>(schema: z.ZodType<T> | undefined, value: unknown, where: string): T | undefined {
  if (!schema) return undefined;
  if (where !== 'body') refuseNul(value as object, where);
  const result = schema.safeParse(value);
  if (result.success) {
    refuseMisspelled(schema, value, where);
    return result.data;
  }
  const wrong = result.error.issues.map(({ path, message }) => ({
    at: [where, ...path.map(String)].join('.'),
    message,
  }));
  const reason = wrong.map(({ at, message }) => `${at}: ${message}`).join('; ');
  throw new FacadeError(422, 'VALIDATION', reason, { at: wrong[0]!.at });
}

/**
 * Clients send fields that nobody here reads, which is no harm. One that is nearly the name of a field that is not
 * given is meant to be that field: without a word, its value would count for nothing.
 */
function refuseMisspelled(schema: z.ZodType, value: unknown, where: string): void {
  const shape = 'shape' in schema ? schema.shape : undefined;
  if (!isMapping(shape) || typeof value !== 'object' || value === null) return;
  const given = new Set(Object.keys(value));
  const missing = Object.keys(shape).filter((name) => !given.has(name));
  for (const name of given) {
    if (Object.hasOwn(shape, name)) continue;
    const near = name.length < MIN_LENGTH ? undefined : nearMiss(name, missing);
    if (near === undefined) continue;
    const message = `${where}.${name} is not a field: did you mean '${near}'?`;
    throw new FacadeError(422, 'VALIDATION', message, { at: `${where}.${name}` });
  }
}

/** Short names are near to many. */
const MIN_LENGTH = 4;
const MOST_EDITS = 2;

function nearMiss(name: string, candidates: readonly string[]): string | undefined {
  const near = nearest(name, candidates);
  return near !== undefined && editDistance(name, near, MOST_EDITS) <= MOST_EDITS ? near : undefined;
}

/** Neither Temporal nor Postgres can hold it: nothing that could be found has one. */
function refuseNul(given: object, where: string): void {
  const hasNul = (one: unknown): boolean => typeof one === 'string' && one.includes('\0');
  const wrong = Object.entries(given).find((pair) => pair.flat().some(hasNul));
  if (!wrong) return;
  const at = `${where}.${wrong[0].replaceAll('\0', '')}`;
  throw new FacadeError(422, 'VALIDATION', `${at}: has a NUL character`, { at });
}
