/** JSON in arguments and in files that arguments name. */
import fs from 'node:fs';
import { isMapping, type Json } from '../../language/plan/json';
import { digitsLost, readJson } from '../../language/plan/json-text';
import { NumberTooLarge } from '../../language/template/values/digits';
import { UsageError } from '../errors';

/** @param option of the command, for errors */
export function payloadText(payload: string, option = '--payload'): [text: string, where: string] {
  if (!payload.startsWith('@')) return [payload, option];
  const file = payload.slice(1);
  try {
    return [fs.readFileSync(file === '-' ? 0 : file, 'utf8'), file === '-' ? 'standard input' : file];
  } catch (error) {
    throw new UsageError(
      `${option}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}

/** The payload of an external event: as `readPayload`, but any JSON value. @throws UsageError */
export function readEventPayload(payload: string | undefined): Json {
  return payload === undefined ? null : jsonIn(...payloadText(payload));
}

/** As `readJson`; says on standard error which digits were lost. @throws UsageError */
function jsonIn(text: string, where: string): Json {
  try {
    const { value, rounded } = readJson(text.replace(/^\uFEFF/, ''));
    if (rounded !== undefined) process.stderr.write(`${where}: ${digitsLost(rounded)}\n`);
    return value;
  } catch (error) {
    if (error instanceof NumberTooLarge) throw new UsageError(`${where}: ${error.message}`);
    throw new UsageError(
      `${where} is not JSON${positionOf(error as Error, text)}: ${(error as Error).message}`,
    );
  }
}

export function parseObject(text: string, where: string): Json {
  const value = jsonIn(text, where);
  if (!isMapping(value)) throw new UsageError(`${where} must be a JSON object, not ${typeOf(value)}`);
  return value;
}

/** V8 reports an offset, or nothing if the text ends too early. */
function positionOf(error: Error, text: string): string {
  const named = /at position (\d+)/.exec(error.message)?.[1];
  const offset = named === undefined ? text.length : Number(named);
  const before = text.slice(0, offset).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/**
 * `a.b=v` as `{a: {b: v}}`. A leading `workload.` is dropped, `\.` is a dot inside a name, and the value is parsed
 * as JSON if it is valid JSON (a number that a double would round stays a string), otherwise a string.
 */
export function parseSet(assignment: string): Json {
  const equals = assignment.indexOf('=');
  if (equals < 1) throw new UsageError(`--set ${assignment}: expected NAME=VALUE, e.g. --set limits.pages=3`);
  const path = assignment
    .slice(0, equals)
    .trim()
    .split(/(?<!\\)\./)
    .map((key) => key.replaceAll('\\.', '.'));
  if (path.length > 1 && path[0] === 'workload') path.shift();
  if (path.some((key) => key === '')) throw new UsageError(`--set ${assignment}: an empty name`);
  return path.reduceRight<Json>(
    (value, key) => Object.fromEntries([[key, value]]),
    scalar(assignment.slice(equals + 1)),
  );
}

/**
 * `NAME=VALUE` of `vars set`, the value parsed as for `--set`. The name is one variable, not a path.
 *
 * @throws UsageError
 */
export function parseAssignment(assignment: string): [name: string, value: Json] {
  const equals = assignment.indexOf('=');
  if (equals < 1) throw new UsageError(`${assignment}: expected NAME=VALUE, e.g. limit=3`);
  return [assignment.slice(0, equals).trim(), scalar(assignment.slice(equals + 1))];
}

function scalar(text: string): Json {
  try {
    const { value, rounded } = readJson(text);
    return rounded === undefined ? value : text;
  } catch (error) {
    if (error instanceof NumberTooLarge) throw new UsageError(`--set: ${error.message}`);
    return text;
  }
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
