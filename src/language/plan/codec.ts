/**
 * Canonical JSON: keys sorted by UTF-16 code units, no whitespace, no `undefined`. Two plans are equal if and only if
 * their canonical texts are, regardless of the order of their keys.
 *
 * @throws TypeError for values that JSON cannot represent (functions, NaN; cycles are not detected).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be represented in JSON`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} cannot be represented in JSON`);
  const object = value as Record<string, unknown>;
  let text = '';
  for (const key of sortedKeys(object)) {
    const field = object[key];
    if (field === undefined) continue;
    text += `${text === '' ? '' : ','}${keyText(key)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}

/** Most mappings in plans have one or two keys, already in order. */
function sortedKeys(object: Record<string, unknown>): string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i += 1) if (keys[i - 1]! > keys[i]!) return keys.sort();
  return keys;
}

/** The keys of plans are a few hundred distinct words, written tens of thousands of times. */
const keyTexts = new Map<string, string>();

function keyText(key: string): string {
  const cached = keyTexts.get(key);
  if (cached !== undefined) return cached;
  const text = JSON.stringify(key);
  if (keyTexts.size < 1000) keyTexts.set(key, text);
  return text;
}
