import { compact } from '../../plan';
import {
  type Diagnostic,
  type Findings,
  type Fix,
  type FixSite,
  type Located,
  type OlderForm,
  type Remedy,
  type SiteNames,
} from '../diagnostics/diagnostic';
import { type LineIndex } from '../yaml/lines';
import { type MapEntry, type MapNode, type YamlNode } from '../yaml/node';

/** What a compilation offers to change. */
export interface Offers {
  readonly diagnostics: Diagnostic[];
  readonly older: readonly OlderForm[];
}

/** The diagnostics with their fixes, and the older forms that are accepted without one. */
export function offersOf(
  lines: LineIndex,
  findings: Findings,
  { root, names }: { readonly root?: MapNode; readonly names?: SiteNames },
): Offers {
  const { proposals } = findings;
  const { text } = lines;
  const diagnostics = findings.list();
  const fixes = new Map<Diagnostic, Fix>();
  const older = new Map<string, OlderForm>();
  const reported: FixSite['reported'] = (code) =>
    new Set(
      diagnostics.flatMap((each) => (each.code === code ? [lines.offset(each.line, each.column)] : [])),
    );
  for (const { where, remedy, diagnostic } of proposals) {
    const path = pathTo(root, where.start);
    const fix = fixOf(remedy, { text, at: where, path, reported, ...compact({ names }) });
    if (diagnostic !== undefined) {
      if (fix !== undefined) fixes.set(diagnostic, fix);
      continue;
    }
    const { hint } = remedy;
    const [line, column] = lines.position(where.start);
    const written = text.slice(where.start, where.end);
    // What a workbook task holds is read at each call.
    older.set(`${line}:${column} ${remedy.what}`, { line, column, written, ...compact({ hint, fix }) });
  }
  const all = diagnostics.map((each) => {
    const fix = fixes.get(each);
    return fix === undefined ? each : { ...each, fix };
  });
  return { diagnostics: all, older: [...older.values()] };
}

function fixOf({ edits: make, what, reshapes }: Remedy, site: FixSite): Fix | undefined {
  const edits = make(site);
  return edits === undefined || edits.length === 0 ? undefined : { what, edits, ...compact({ reshapes }) };
}

/** The mappings around an offset, the innermost first. */
export function pathTo(root: MapNode | undefined, offset: number): FixSite['path'] {
  const path: FixSite['path'][number][] = [];
  let node: YamlNode | undefined = root;
  while (node !== undefined && node.kind !== 'scalar') {
    if (node.kind === 'list') {
      node = node.items.find((item) => holds(item, offset));
      continue;
    }
    const entry: MapEntry | undefined = node.entries.find(
      (each) => holds(each.at, offset) || holds(each.value, offset),
    );
    if (entry === undefined) break;
    path.unshift({ map: node, entry });
    node = holds(entry.at, offset) ? undefined : entry.value;
  }
  return path;
}

function holds({ start, end }: Located, offset: number): boolean {
  return start <= offset && offset < end;
}
