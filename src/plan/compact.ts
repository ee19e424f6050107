/** Removes undefined fields from an object. @example { name, ...compact({ desc }) } */
export function compact<T extends object>(fields: T): Partial<T> {
  const kept = { ...fields };
  for (const key in kept) if (kept[key] === undefined) delete kept[key];
  return kept;
}
