/** Removes undefined fields from an object. @example { name, ...compact({ desc }) } */
export function compact<T extends object>(fields: T): Partial<T> {
  // Deleting from a copy would take eight times as long: V8 makes a hash table of an object with deleted keys.
  const kept: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept;
}

/**
 * As `{ ...base, ...more }`, for objects of ours (not for data: a key `__proto__` would be lost), where each task makes one: V8
 * until Node 20 takes microseconds for each property that is added to an object that was spread.
 */
export const assigned = <A extends object, B extends object>(base: A, more: B): A & B =>
  Object.assign({}, base, more);
