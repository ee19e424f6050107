import { type Edit, type FixSite } from '../diagnostics/diagnostic';
import { asMap, entry, type MapEntry, type MapNode } from '../yaml/node';
import { carried } from './nest';
import { columnOf, contentEnd, isFlow, lineEnd, lineStart, entryLines, newline, removal } from './text';
import { type Change } from './words';

/** `spec.input` (`args`, `with`) of a tool becomes its `input`. */
export const specInputs: Change = { what: '`spec.input` → `input`', edits: fromSpec };

function fromSpec({ text, path: [here, around] }: FixSite): readonly Edit[] | undefined {
  if (here === undefined || around === undefined) return undefined;
  const { map: inner, entry: moved } = here;
  const { map: tool, entry: spec } = around;
  const keys = ['input', 'args', 'with'];
  if (keys.filter((key) => entry(inner, key) !== undefined).length > 1) return undefined;
  const own = keys.flatMap((key) => {
    const there = entry(tool, key);
    return there?.value.kind === 'map' ? [there] : [];
  });
  if (own.length === 0) return outOfSpec(text, tool, spec, inner, moved);
  return own.length === 1 ? joined(text, tool, own[0]!, { spec, inner, moved }) : undefined;
}

/** The entries of `moved` before the tool's own, if no names collide. */
function joined(
  text: string,
  tool: MapNode,
  own: MapEntry,
  { spec, inner, moved }: { spec: MapEntry; inner: MapNode; moved: MapEntry },
): readonly Edit[] | undefined {
  const home = asMap(own.value)!;
  const [first] = home.entries;
  const from = asMap(moved.value)!;
  const alone = inner.entries.length === 1;
  const deletions = removal(text, alone ? tool : inner, alone ? spec : moved);
  if ([tool, inner, home, from].some((map) => isFlow(text, map)) || first === undefined) return undefined;
  if (deletions === undefined || from.entries.some(({ key }) => entry(home, key) !== undefined))
    return undefined;
  const head = text.slice(alone ? spec.at.start : moved.at.start, lineEnd(text, moved.at.end));
  if (head.includes('#')) return undefined;
  const [, ...lines] = carried(text, moved);
  const width = /^ */.exec(lines[0]!)![0].length;
  const start = lineStart(text, first.at.start);
  const indent = ' '.repeat(columnOf(text, first.at.start));
  const added = lines.map((line) => (line === '' ? '' : indent + line.slice(width)) + newline(text));
  return [{ start, end: start, text: added.join('') }, ...deletions];
}

function outOfSpec(
  text: string,
  tool: MapNode,
  spec: MapEntry,
  inner: MapNode,
  moved: MapEntry,
): readonly Edit[] | undefined {
  const { start } = spec.at;
  const alone = inner.entries.length === 1;
  if (isFlow(text, tool)) {
    const written = `input: ${text.slice(moved.value.start, contentEnd(text, moved))}`;
    if (alone) return [{ start, end: contentEnd(text, spec), text: written }];
    const deletions = removal(text, inner, moved);
    return deletions && [{ start, end: start, text: `${written}, ` }, ...deletions];
  }
  const indent = ' '.repeat(columnOf(text, start));
  const end = newline(text);
  const lines = carried(text, moved, 'input').map((line, i) =>
    i === 0 || line === '' ? line : indent + line,
  );
  if (!alone) {
    const deletions = removal(text, inner, moved);
    return deletions && [{ start, end: start, text: lines.join(end) + end + indent }, ...deletions];
  }
  const between = text.slice(spec.at.end + 1, moved.at.start).split(/\r?\n/);
  const remarks = between.flatMap((line) => (line.trim().startsWith('#') ? [line.trim()] : []));
  if (isFlow(text, inner) && remarks.length > 0) return undefined;
  const whole = entryLines(text, spec);
  if (isFlow(text, inner)) return [{ start, end: contentEnd(text, spec), text: lines.join(end + indent) }];
  return [
    {
      start,
      end: whole.end,
      text: [...remarks.map((line) => line + end + indent), lines.join(end)].join('') + end,
    },
  ];
}
