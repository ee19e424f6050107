import { type Edit, type FixSite, type Remedy } from '../diagnostics/diagnostic';
import { asMap, child, entry, type MapNode } from '../yaml/node';
import { pathTo } from './source';
import { below } from './structure';
import { contentEnd, isFlow } from './text';

/**
 * Writes `join: each` at a step that one router names more than once.
 *
 * @param target the step's name where it is defined; undefined where its runs could merge otherwise
 */
export function joinEach(hint: string, target: { readonly start: number } | undefined): Remedy {
  const edits = ({ text, path }: FixSite): Edit[] | undefined => {
    const [step] = target === undefined ? [] : pathTo(path.at(-1)?.map, target.start);
    const edit = step && added(text, step.map, ['spec', 'policy', 'join']);
    return edit && [edit];
  };
  return { hint, what: 'named twice → `join: each`', edits, reshapes: true };
}

/** `each` below these keys; undefined if it is there already, or something that is not a mapping is in its way. */
function added(text: string, map: MapNode, [key, ...rest]: readonly string[]): Edit | undefined {
  const there = entry(map, key!);
  if (there !== undefined) {
    const inner = asMap(child(map, key!));
    return rest.length === 0 || inner === undefined || inner.entries.length === 0
      ? undefined
      : added(text, inner, rest);
  }
  const written = rest.reduceRight((value, each) => `{ ${each}: ${value} }`, 'each');
  // The name of a step stays first, and what is read next is how it joins.
  const before = map.entries[rest.length === 2 ? 0 : map.entries.length - 1]!;
  const end = contentEnd(text, before);
  if (isFlow(text, map)) return { start: end, end, text: `, ${key}: ${written}` };
  return below(text, map, end, `${key}: ${written}`);
}
