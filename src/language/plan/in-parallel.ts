/** The results of all items, in their order. @param atOnce items worked on at once */
export async function inParallel<T, R>(
  atOnce: number,
  items: readonly T[],
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array<R>(items.length);
  const rest = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await map(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
