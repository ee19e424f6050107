/**
 * The size of a value as JSON, without writing it: small values may be huge as JSON, because they contain the same part
 * many times (`[[1] * 1000] * 1000`). Used wherever a value is kept, sent or shown.
 */

/** The largest answer: whatever is larger, or nested deeper than MAX_NESTING, counts as this. */
export const SATURATED = 2 ** 26;

/** Deeper data overflows the stack of whoever writes it. */
const MAX_NESTING = 1000;

/** Containers from this size are remembered; to walk smaller ones again costs less. */
const REMEMBERED_FROM = 512;

/**
 * Container → size + SATURATED × its levels. Containers must not change once they were measured: values in the state
 * are replaced, never modified.
 */
const remembered = new WeakMap<object, number>();

/** For tests: measured containers are frozen, so that the memory above cannot lie. */
export const measuring = { freezes: false };

/** For values that must not change any more: tests freeze them, with all that they contain. */
export function unchanging<T>(value: T): T {
  if (!measuring.freezes || typeof value !== 'object' || value === null || Object.isFrozen(value))
    return value;
  const open: object[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Object.isFrozen(one)) continue;
    Object.freeze(one);
    for (const part of Object.values(one)) if (typeof part === 'object' && part !== null) open.push(part);
  }
  return value;
}

/**
 * Characters of the value as `JSON.stringify` writes it, at most SATURATED. Parts that occur several times count as
 * often. Takes time for its parts, not for its size, and for no more than SATURATED characters.
 */
export function jsonSize(value: unknown): number {
  if (typeof value !== 'object' || value === null) return Math.min(scalarSize(value, SATURATED), SATURATED);
  reach = 0;
  const size = containerSize(value, 0, SATURATED);
  if (size < SATURATED) return size;
  remembered.set(value, SATURATED);
  return SATURATED;
}

/** Tells the size of a new list or mapping that was computed from those of its parts. */
export function rememberSize(container: object, size: number, levels: number): void {
  if (size < REMEMBERED_FROM || size >= SATURATED || levels > MAX_NESTING) return;
  remembered.set(container, size + SATURATED * levels);
  if (measuring.freezes) Object.freeze(container);
}

/** Nested levels of a container that was measured. */
export function levelsOf(container: object): number {
  reach = 0;
  return containerSize(container, 0, SATURATED) < SATURATED ? reach : MAX_NESTING;
}

/** Nested levels of a container that was measured before; undefined for any other value, and for one that saturated. */
export function knownLevels(container: object): number | undefined {
  const levels = Math.floor((remembered.get(container) ?? 0) / SATURATED);
  return levels === 0 || remembered.get(container) === SATURATED ? undefined : levels;
}

/** The deepest level that the current walk has seen. */
let reach = 0;

/** Infinity once it is above `left`. */
function containerSize(value: object, depth: number, left: number): number {
  const earlier = remembered.get(value);
  if (earlier !== undefined) return knownSize(earlier, depth, left);
  if (depth >= MAX_NESTING) return Infinity;
  const before = reach;
  reach = depth + 1;
  const size = Array.isArray(value) ? listSize(value, depth, left) : mappingSize(value, depth, left);
  if (size === Infinity) return Infinity;
  if (size >= REMEMBERED_FROM || measuring.freezes) {
    remembered.set(value, size + SATURATED * (reach - depth));
    if (measuring.freezes) Object.freeze(value);
  }
  if (before > reach) reach = before;
  return size;
}

function knownSize(packed: number, depth: number, left: number): number {
  const levels = Math.floor(packed / SATURATED);
  const size = packed - levels * SATURATED;
  if (size === 0 || size > left || depth + levels > MAX_NESTING) return Infinity;
  if (depth + levels > reach) reach = depth + levels;
  return size;
}

function listSize(list: readonly unknown[], depth: number, left: number): number {
  const { length } = list;
  let size = length === 0 ? 2 : length + 1;
  if (size > left) return Infinity;
  let last: unknown;
  let lastSize = 0;
  for (let index = 0; index < length; index++) {
    const item = list[index];
    // A list of one long text many times is measured once.
    if (typeof item !== 'string' || item !== last) {
      last = item;
      lastSize = valueSize(item, depth, left - size);
    }
    size += lastSize;
    if (size > left) return Infinity;
  }
  return size;
}

function mappingSize(mapping: object, depth: number, left: number): number {
  let size = 1;
  // Values have no members but their own; `Object.keys` would allocate a list.
  for (const key in mapping) {
    const member = (mapping as Record<string, unknown>)[key];
    if (member === undefined) continue;
    size += 2 + textSize(key, left);
    size += valueSize(member, depth, left - size);
    if (size > left) return Infinity;
  }
  return Math.max(2, size);
}

function valueSize(value: unknown, depth: number, left: number): number {
  return typeof value === 'object' && value !== null
    ? containerSize(value, depth + 1, left)
    : scalarSize(value, left);
}

function scalarSize(value: unknown, left: number): number {
  switch (typeof value) {
    case 'string':
      return textSize(value, left);
    case 'number':
      return numberSize(value);
    case 'boolean':
      return value ? 4 : 5;
    default:
      return 4;
  }
}

// eslint-disable-next-line no-control-regex -- what JSON escapes
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

// A name of the global object takes a microsecond to look up where workflows run.
const { isFinite: isFiniteNumber, isInteger } = Number;

/** Up to this length a loop is faster than a regular expression: most keys are as short. */
const SHORT = 24;

function textSize(text: string, left: number): number {
  const { length } = text;
  if (length > left) return Infinity;
  if (length <= SHORT) {
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code < 32 || code === 34 || code === 92 || code >= 0xd800) return JSON.stringify(text).length;
    }
    return length + 2;
  }
  return ESCAPED.test(text) ? JSON.stringify(text).length : text.length + 2;
}

function numberSize(value: number): number {
  if (value >= 0 && value < 1e6 && isInteger(value)) {
    if (value < 10) return 1;
    if (value < 100) return 2;
    if (value < 1000) return 3;
    return value < 1e4 ? 4 : value < 1e5 ? 5 : 6;
  }
  return isFiniteNumber(value) ? String(value).length : 4;
}
