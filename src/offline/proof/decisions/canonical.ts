/** JSON texts that are equal exactly if the values are: for comparing, and as a copy that nothing changes. */
import {
  handleOf,
  isMapping,
  type Json,
  type JsonObject,
  KEYCHAIN_KIND,
  secondsOf,
  type Secrets,
  type TaskCall,
} from '../../../language/plan';

/** The value as JSON with sorted keys; absent and undefined members are left out. */
export function canonicalText(value: unknown): string {
  const sorted = (_key: string, part: unknown): unknown =>
    isMapping(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part;
  return JSON.stringify(value, sorted) ?? 'null';
}

const texts = new WeakMap<TaskCall, string>();

/** The request of a call: kind, inputs, fields. Calls with equal requests get the same answer. */
export function callText(call: TaskCall): string {
  let text = texts.get(call);
  if (text === undefined) texts.set(call, (text = textOf(call)));
  return text;
}

function textOf(call: TaskCall): string {
  const { kind, input, options, context, task } = call;
  // Neither a time limit nor the position of keychain entries in the source is part of the request.
  const { timeout: _, timeout_seconds: __, ...fields } = call.config;
  // The label of a task in a list, which kinds that have a field of that name see there.
  if (fields['name'] === task && 'path' in fields) delete fields['name'];
  const config = kind === KEYCHAIN_KIND ? entriesOf(call.config['entries']) : fields;
  return canonicalText(revealed({ kind, input, config, options, context }, call.secrets ?? {}));
}

/** What a check of the keychain asks for: without the names of the entries, and where they are written. */
function entriesOf(entries: Json | undefined): Json {
  const texts = (entries as JsonObject[]).map(({ name: _, at: __, ...entry }) => entry);
  return texts as Json;
}

/** The time limits of a call: they are not part of the request, because an answer that came in time is the same. */
export function limitsText({ timeout, config }: TaskCall): string {
  const own = config['timeout_seconds'] ?? config['timeout'];
  return canonicalText({ ...timeout, ...(own !== undefined && { total: secondsOf(own) }) });
}

/** Parts of a deferred template that differ although they mean the same; a secret may have a mapping of that name. */
const APPEARANCE = new Set(['at', 'map', 'p', 'source', 'seed', 'now']);

/**
 * Replaces handles by what they refer to: the ids contain random numbers, of which another version may have drawn
 * more.
 */
function revealed(value: unknown, secrets: Secrets): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(secrets).length === 0) return value;
  if (Array.isArray(value)) return value.map((one) => revealed(one, secrets));
  const handle = handleOf(value);
  if (handle && Object.hasOwn(secrets, handle.id)) {
    const { id, field } = handle;
    const { [id]: secret, ...others } = secrets;
    return { $secret: withoutAppearance(revealed(secret, others)), field };
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, revealed(one, secrets)]));
}

function withoutAppearance(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAppearance);
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      APPEARANCE.has(key) && !isMapping(one) ? [] : [[key, withoutAppearance(one)]],
    ),
  );
}

/** The value of a canonical text. */
export function valueOf(text: string): Json {
  return JSON.parse(text);
}
