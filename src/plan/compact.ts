/** The object without its undefined fields, for fields that are there or are not. @example { name, ...compact({ desc }) } */
export function compact<T extends object>(fields: T): Partial<T> {
  const kept = { ...fields };
  for (const key in kept) if (kept[key] === undefined) delete kept[key];
  return kept;
}
