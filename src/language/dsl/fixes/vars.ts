import { hasTemplateSyntax } from '../../template';
import { type Edit, type FixSite } from '../diagnostics/diagnostic';
import { asMap, entry, isNull, type MapNode } from '../yaml/node';
import { carried, nestedText } from './nest';
import { isFlow, entryLines } from './text';
import { referencesIn, scalarsWithin } from './within';
import { type Change, rename } from './words';

/**
 * Root `vars` that are never written become inputs: `workload`. Those written at run time are variables, whose
 * initial value only the author can place.
 */
export const rootVars: Change = { what: '`vars` → `workload`', edits: asWorkload };

function asWorkload({ text, path: [here], names }: FixSite): Edit[] | undefined {
  const inner = asMap(here?.entry.value);
  if (here === undefined || names === undefined || inner === undefined || inner.entries.length === 0)
    return undefined;
  const root = here.map;
  const keys = new Set(inner.entries.map(({ key }) => key));
  if ([...keys].some((key) => names.ctx.has(key) || names.workload.has(key))) return undefined;
  if (scalarsWithin([inner]).some(({ node }) => hasTemplateSyntax(String(node.value)))) return undefined;
  const moved = intoWorkload(text, root, inner);
  const read = moved && reads(root, keys);
  return moved && read && [...moved, ...read];
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
    for (const { root: first, path, offset, kind } of referencesIn(node, key)) {
      if ((first !== 'vars' && first !== 'ctx') || kind !== 'name') continue;
      if (typeof path[0] !== 'string') return undefined;
      const start = node.offsetOf(offset);
      if (keys.has(path[0])) edits.push({ start, end: start + first.length, text: 'workload' });
    }
  }
  return edits;
}
