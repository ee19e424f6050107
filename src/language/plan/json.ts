/** JSON values: the only kind of data in state, history, events and plans. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** True for a plain JSON mapping (not a list, not null). */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Deep-merges `over` into `base`: mappings merge key by key, everything else is replaced. Neither argument is changed.
 * A key `__proto__` becomes an ordinary own key.
 */
export function deepMerge(base: Json, over: Json): Json {
  if (!isMapping(base) || !isMapping(over)) return over;
  const merged = new Map<string, Json>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, below === undefined ? value : deepMerge(below, value));
  }
  return Object.fromEntries(merged);
}
