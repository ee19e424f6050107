import { asText, child, entry, type Entry, type ScalarNode } from '../../yaml/node';
import { type Rewrite, type Source } from '../rewrite';
import { type Edit } from '../text';
import { actionsOf, stepsOf, toolsOf, under } from '../walk';

/** Replaces one word of a scalar, quoted or not. */
function word(source: Source, node: ScalarNode, from: string, to: string, what: string): Rewrite[] {
  const raw = source.text.slice(node.start, node.end);
  const inside = raw.indexOf(from);
  if (inside === -1) return [];
  const start = node.start + inside;
  return [{ what, at: node, edits: [{ start, end: start + from.length, text: to }] }];
}

/** `noetl.io/v10` is another name of `noetl.io/v2`. */
export function apiVersion(source: Source): Rewrite[] {
  const node = child(source.root, 'apiVersion');
  if (node?.kind !== 'scalar' || node.value !== 'noetl.io/v10') return [];
  return word(source, node, 'noetl.io/v10', 'noetl.io/v2', '`noetl.io/v10` → `noetl.io/v2`');
}

/** `backoff: fixed` is called `none`. */
export function backoff(source: Source): Rewrite[] {
  return actionsOf(source.root).flatMap((then) => {
    const node = child(then, 'backoff');
    return node?.kind === 'scalar' && node.value === 'fixed'
      ? word(source, node, 'fixed', 'none', '`backoff: fixed` → `none`')
      : [];
  });
}

/** The mode `async` is called `parallel`. */
export function asyncMode(source: Source): Rewrite[] {
  return stepsOf(source.root).flatMap((step) => {
    const loop = under(step, 'loop');
    return [loop, under(loop, 'spec'), under(loop, 'spec', 'policy')].flatMap((map) => {
      const node = child(map, 'mode');
      return node?.kind === 'scalar' && asText(node) === 'async'
        ? word(source, node, 'async', 'parallel', '`async` → `parallel`')
        : [];
    });
  });
}

/** Inputs of steps and tools are called `input`. */
export function inputs(source: Source): Rewrite[] {
  const maps = [...stepsOf(source.root), ...toolsOf(source.root).map(({ tool }) => tool)];
  return maps.flatMap((map) => {
    const old = ['args', 'with'].flatMap((key) => {
      const found = entry(map, key);
      return found?.value.kind === 'map' ? [found] : [];
    });
    // Two spellings side by side are merged by hand: the order decides which one wins.
    if (old.length !== 1 || entry(map, 'input') !== undefined) return [];
    return [{ what: `\`${old[0]!.key}\` → \`input\``, at: old[0]!.at, edits: [rename(old[0]!, 'input')] }];
  });
}

/** Replaces a key. */
export function rename(old: Entry, key: string): Edit {
  return { start: old.at.start, end: old.at.end, text: key };
}
