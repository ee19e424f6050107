/**
 * Records with keys chosen by playbooks. A step may be called `constructor` and a variable `__proto__`: only own keys
 * count, and writes always create own keys.
 */

/**
 * An empty record for many keys: ids, or names that differ per step. Without a prototype V8 uses a hash table from the
 * first key on; a plain object gets a hidden class for every new key, which takes ten times as long. JSON, spreads and
 * `Object.hasOwn` behave the same.
 */
export function table<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** The value of an own key. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Writes an own key, whatever its name. */
export function defineMember<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  } else record[key] = value;
}

/** Avoids listing the keys of a record that may have thousands. */
export function isEmpty(record: Readonly<Record<string, unknown>>): boolean {
  for (const key in record) if (Object.hasOwn(record, key)) return false;
  return true;
}

/** Sets an element of a list; unset elements before it become null, since JSON has no holes. */
export function placeAt<T>(list: (T | null)[], position: number, value: T | null): void {
  while (list.length < position) list.push(null);
  list[position] = value;
}
