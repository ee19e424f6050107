import { type Report } from '../diagnostics/diagnostic';
import { asMap, entry, type Entry, type MapNode } from '../yaml/node';

/** Spellings of inputs, old ones first: what a later one gives wins where both name an input. */
const SPELLINGS = ['with', 'args', 'input'] as const;

/** The inputs of a step, tool or arc in every spelling (`input`, `args`, `with`, and what `also` adds). */
export function inputsOf(map: MapNode, report: Report, also: readonly string[] = []): Entry[] {
  const found = new Map<string, Entry>();
  for (const key of [...SPELLINGS, ...also]) {
    for (const each of asMap(entry(map, key)?.value)?.entries ?? []) {
      if (found.has(each.key)) {
        const other = SPELLINGS.filter((spelling) =>
          asMap(entry(map, spelling)?.value)?.entries.some((e) => e.key === each.key),
        );
        report.add(
          'NT2006',
          each.at,
          `the input \`${each.key}\` is given twice, by ${other.map((o) => `\`${o}\``).join(' and ')}`,
          'keep one of the two',
        );
      }
      found.set(each.key, each);
    }
  }
  return [...found.values()];
}
