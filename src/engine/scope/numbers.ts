/** Numbers of retries as playbooks write them: figures, text that is a number, or expressions (D17). */
import { type Json, type Position, secondsOf, type Value } from '../../plan';
import { type Context, EngineError } from '../batch';
import { type Place } from './place';
import { valueAt } from './values';

/** Executions in all, the first included. */
export const DEFAULT_ATTEMPTS = 3;
export const DEFAULT_DELAY_S = 1;
export const DEFAULT_MAX_DELAY_S = 3600;

/**
 * The number that stands there; `read`: how text is read, as a number or as a time (`secondsIn`).
 *
 * @throws EngineError RETRY_NUMBER when what is written is no number; TemplateError as its template does
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
  const found = valueAt(context, value, place);
  const number = typeof found === 'string' && found.trim() !== '' ? read(found) : found;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw new EngineError('RETRY_NUMBER', `${name} must be a number, got ${JSON.stringify(found)}`, at);
  }
  return number;
}

/** Seconds of a number, one below 0 included (a time that has passed), or of a duration; else not a number. */
export function secondsIn(value: Json): number {
  return secondsOf(value) ?? Number(value);
}
