import { hasTemplateSyntax } from '../../../template';
import { asMap, entry, isNull, type MapNode } from '../../yaml/node';
import { type Rewrite, type RewriteSource } from '../rewrite';
import { type Edit, isFlow, entryLines } from '../text';
import { referencesIn, scalarsWithin } from '../within';
import { carried, nestedText } from './nest';
import { keysOfRoots } from './roots';
import { rename } from './words';

/**
 * Root `vars` that are never written become inputs: `workload`. Those written at run time are variables, whose
 * initial value only the author can place.
 */
export function rootVars({ text, root }: RewriteSource): Rewrite[] {
  const vars = entry(root, 'vars');
  const inner = asMap(vars?.value);
  if (vars === undefined || inner === undefined || inner.entries.length === 0) return [];
  const { names } = keysOfRoots(text, root);
  const keys = new Set(inner.entries.map(({ key }) => key));
  if ([...keys].some((key) => names.ctx.has(key) || names.workload.has(key))) return [];
  if (scalarsWithin([inner]).some(({ node }) => hasTemplateSyntax(String(node.value)))) return [];
  const moved = intoWorkload(text, root, inner);
  const read = moved && reads(root, keys);
  if (moved === undefined || read === undefined) return [];
  return [{ what: '`vars` → `workload`', at: vars.at, edits: [...moved, ...read] }];
}

function intoWorkload(text: string, root: MapNode, inner: MapNode): Edit[] | undefined {
  const vars = entry(root, 'vars')!;
  const workload = entry(root, 'workload');
  if (workload === undefined) return [rename(vars, 'workload')];
  const home = asMap(workload.value);
  if (
    isNull(workload.value) ||
    home === undefined ||
    isFlow(text, inner) ||
    text[entryLines(text, vars).end - 1] !== '\n'
  )
    return undefined;
  const { start, end } = entryLines(text, vars);
  // Comments between the entries move with them: the block is moved unchanged.
  const [first] = inner.entries;
  if (/#/.test(text.slice(vars.at.end, first!.at.start))) return undefined;
  const block = { at: vars.at, value: vars.value, key: 'vars' };
  const [, ...lines] = carried(text, block);
  const width = /^ */.exec(lines[0]!)![0].length;
  const added = nestedText(
    text,
    root,
    ['workload'],
    lines.map((line) => line.slice(width)),
  );
  return added && [added, { start, end, text: '' }];
}

/** `vars.x` and `ctx.x` become `workload.x`; undefined if the variables are read as a whole. */
function reads(root: MapNode, keys: ReadonlySet<string>): Edit[] | undefined {
  const edits: Edit[] = [];
  for (const { node, key } of scalarsWithin([root])) {
    for (const { root: first, path, offset, kind } of referencesIn(node.value, key)) {
      if ((first !== 'vars' && first !== 'ctx') || kind !== 'name') continue;
      if (typeof path[0] !== 'string') return undefined;
      const start = node.offsetOf(offset);
      if (keys.has(path[0])) edits.push({ start, end: start + first.length, text: 'workload' });
    }
  }
  return edits;
}
