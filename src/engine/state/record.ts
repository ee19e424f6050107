/**
 * Records keyed by names that playbooks choose. A step may be called `constructor` and a variable `__proto__`: only own
 * keys count, and every key that is written is an own key.
 */

/**
 * An empty record for keys that are many: ids, or names that differ from step to step. Without a prototype V8 keeps it
 * as a hash table from its first key on; a plain object gets a hidden class for every key that it has not seen, which
 * takes ten times as long. JSON, spreads and `Object.hasOwn` see no difference.
 */
export function table<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** The value of an own key. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Writes an own key, whatever its name. */
export function define<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  } else record[key] = value;
}

/** Without listing the keys of a record that may have thousands. */
export function isEmpty(record: Readonly<Record<string, unknown>>): boolean {
  for (const key in record) if (Object.hasOwn(record, key)) return false;
  return true;
}

/** Puts a value at its place in a list; places before it that are still empty stand as null: holes are no JSON. */
export function placeAt<T>(list: (T | null)[], position: number, value: T | null): void {
  while (list.length < position) list.push(null);
  list[position] = value;
}
