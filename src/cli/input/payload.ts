/** `--payload` and `--set`: the input of an execution. */
import { formatDiagnostics, parsePayload } from '../../language/dsl';
import { deepMerge, type Json, type JsonObject } from '../../language/plan/json';
import { UsageError } from '../errors';
import { parseObject, parseSet, payloadText } from './json';

/**
 * The payload of an execution: `--payload` (JSON text, `@FILE`, or `@-` for standard input), overridden by each
 * `--set` in order. A file that is called so is YAML.
 *
 * @param option of the command, for errors
 * @throws UsageError with line and column of invalid JSON or YAML
 */
export function readPayload(
  payload: string | undefined,
  sets: readonly string[] = [],
  option = '--payload',
): JsonObject {
  const base: Json = payload === undefined ? {} : objectIn(...payloadText(payload, option));
  return sets.map(parseSet).reduce(deepMerge, base) as JsonObject;
}

function objectIn(text: string, where: string): Json {
  if (!/\.ya?ml$/i.test(where)) return parseObject(text, where);
  const { data, diagnostics } = parsePayload(text, where);
  if (data === undefined) throw new UsageError(formatDiagnostics(diagnostics, text));
  return data;
}
