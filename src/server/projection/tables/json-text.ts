/** JSON for Postgres: JSONB accepts neither U+0000 nor unpaired surrogates. */

const UNSTORABLE = /[\0\p{Surrogate}]/gu;
const ESCAPED = /\\u(?:0000|d[89a-f])/;

/** The value as JSON text; characters that JSONB cannot store become U+FFFD. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  // Only an escape can be one of them; whether its backslash is itself escaped does not matter here.
  return ESCAPED.test(text) ? JSON.stringify(storable(value)) : text;
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(UNSTORABLE, '\uFFFD');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name.replace(UNSTORABLE, '\uFFFD'), storable(one)]),
  );
}
