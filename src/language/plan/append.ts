/** Lists of any length are not spread into a call: its arguments lie on the stack, which some 100,000 of them overflow. */

/** Appends the items to a list. */
export function appendAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}
