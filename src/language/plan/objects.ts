/**
 * Every object in a value, at any depth, in the order in which JSON has them: the nodes of a plan, of a template's
 * expression, of data.
 *
 * @param isWhole of whom nothing inside is visited
 */
export function* objectsIn(
  value: unknown,
  isWhole: (part: object) => boolean = () => false,
): Generator<Readonly<Record<string, unknown>>, void> {
  const open = [value];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null) continue;
    yield part as Readonly<Record<string, unknown>>;
    if (isWhole(part)) continue;
    for (const inner of (Object.values(part) as unknown[]).reverse()) open.push(inner);
  }
}
