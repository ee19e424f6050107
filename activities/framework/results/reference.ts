/** References passed to tools by playbooks, and the store they point to. */
import { isMapping, type Json, type JsonObject } from '../../../src/language/plan';
import { type ReferenceOrigin, type ResultStore } from '../../../src/storage/payloads';
import { jsonTypeName } from '../tool/fields';
import { jsonOr } from '../../../src/language/plan/json-text';
import { invalidInput, type ToolError } from '../tool/outcome';
import { type ToolContext } from '../tool/tool';

/** @throws ToolError `NO_STORE` */
export function storeOf(kind: string, { results }: ToolContext): ResultStore {
  if (results) return results;
  const message = `${kind}: this worker has no store; start it with --storage or NOETL_STORAGE (docs/large-results.md)`;
  throw invalidInput(message, 'NO_STORE');
}

/** Whether a field that may also be a plain string contains a reference, as a mapping or as JSON text. */
export function isReference(given: Json | undefined): boolean {
  const value = typeof given === 'string' ? jsonOr(given, given) : given;
  return isMapping(value) && 'key' in value && 'checksum' in value;
}

/**
 * The location of a referenced value.
 *
 * @param name of the field that contains it, for messages
 * @throws ToolError `NO_REFERENCE`, `INVALID_REFERENCE`, `NOT_STORED`
 */
export function originIn(kind: string, name: string, given: Json | undefined): ReferenceOrigin {
  const wrong = (why: string): ToolError => {
    const message = `${kind}: \`${name}\` is not a reference {store, key, checksum, …}: ${why}; use {{ step._ref }} or the result of a task that stored something`;
    return invalidInput(message, 'INVALID_REFERENCE');
  };
  if (given === undefined || given === null || given === '') {
    const message = `${kind}: there is no \`${name}\` to fetch; write \`{{ STEP._ref }}\`, with the name of the step; a loop as a whole has none`;
    throw invalidInput(message, 'NO_REFERENCE');
  }
  const reference = typeof given === 'string' ? jsonOr(given, given) : given;
  if (!isMapping(reference)) throw wrong(`it is ${jsonTypeName(given)}`);
  const { store, key, checksum, range } = reference as JsonObject;
  if (store === 'history') {
    const message = `${kind}: this reference names a value in history, which is in no store`;
    throw invalidInput(message, 'NOT_STORED');
  }
  for (const [field, value] of Object.entries({ store, key, checksum })) {
    if (typeof value !== 'string' || value === '') throw wrong(`it has no string \`${field}\``);
  }
  if (range !== undefined && range !== null) throw wrong('a `range` cannot be fetched separately');
  if (!/^sha256:[0-9a-f]{64}$/.test(checksum as string)) throw wrong('its `checksum` is not sha256:<hex>');
  return { store, key, checksum } as ReferenceOrigin;
}
