/**
 * How much values may take: every value that enters the state or a command passes here. Its size is that of its JSON,
 * where parts that it shares count as often as they would be written.
 */
import {
  inMiB,
  type Json,
  jsonSize,
  MAX_VALUE_SIZE,
  type Outcome,
  type SourcePosition,
} from '../../../language/plan';
import { type Context } from './context';
import { EngineError, failedOutcome } from './failure';

const VALUE_TOO_LARGE = 'VALUE_TOO_LARGE';

/** Shorter texts are not measured one by one: an expression can hardly produce many of them. */
const SHORT_TEXT = 100;

/**
 * Charges for the value. `what` names it in the error.
 *
 * @throws EngineError `VALUE_TOO_LARGE`
 */
export function measured<T extends Json>(context: Context, value: T, what: string, at?: SourcePosition): T {
  const isSmall = typeof value === 'string' ? value.length <= SHORT_TEXT : typeof value !== 'object';
  if (isSmall || value === null) return value;
  const size = jsonSize(value);
  context.write(size);
  if (size > MAX_VALUE_SIZE) throw tooLarge(what, at);
  return value;
}

export function tooLarge(what: string, at?: SourcePosition): EngineError {
  const how = 'keep less of it, or let a task store it and pass its location on';
  const message = `${what} comes to more than ${inMiB(MAX_VALUE_SIZE)} as JSON: ${how}`;
  return new EngineError(VALUE_TOO_LARGE, message, at);
}

/** What every outcome has: `{"status":"ok","result":…,"error":null,"meta":{}}`. */
const ENVELOPE = 50;

/** The outcome, or the failure of a task whose outcome is too large: its rules see that. */
export function measuredOutcome(
  context: Context,
  outcome: Outcome,
  task: string,
  at: SourcePosition,
): Outcome {
  let size = ENVELOPE;
  for (const key in outcome) {
    const part = outcome[key];
    if (typeof part === 'object' && part !== null) size += jsonSize(part);
  }
  context.write(size);
  if (size <= MAX_VALUE_SIZE) return outcome;
  const { code, message } = tooLarge(`the result of task ${task}`, at);
  return failedOutcome({ kind: 'engine', code, message, at });
}
