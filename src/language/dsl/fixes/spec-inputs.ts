import { type Edit, type FixSite } from '../diagnostics/diagnostic';
import { asMap, entry, type MapEntry, type MapNode } from '../yaml/node';
import { carried } from './nest';
import { columnOf, contentEnd, isFlow, lineEnd, lineStart, newline, remarkBehind, removal } from './text';
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
  if (own.length === 0) return outOfSpec(text, tool, { spec, inner, moved });
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

/** The lines of `moved` in front of `spec`, or in its place if there is nothing else in it. */
function outOfSpec(
  text: string,
  tool: MapNode,
  { spec, inner, moved }: { spec: MapEntry; inner: MapNode; moved: MapEntry },
): readonly Edit[] | undefined {
  const { start } = spec.at;
  const isAlone = inner.entries.length === 1;
  const isLine = isFlow(text, inner);
  const between = text.slice(spec.at.end + 1, moved.at.start).split(/\r?\n/);
  const remarks = between.flatMap((line) => (line.trim().startsWith('#') ? [line.trim()] : []));
  const lines = isFlow(text, tool)
    ? [`input: ${text.slice(moved.value.start, contentEnd(text, moved))}`]
    : [...(isAlone ? remarks : []), ...carried(text, moved, 'input')];
  const joint = isFlow(text, tool) ? ', ' : newline(text) + ' '.repeat(columnOf(text, start));
  const written = lines.reduce((before, line) => before + (line === '' ? newline(text) : joint + line));
  if (isAlone) {
    const end = contentEnd(text, spec) + (isLine ? 0 : remarkBehind(text, spec).length);
    return isLine && remarks.length > 0 ? undefined : [{ start, end, text: written }];
  }
  const deletions = removal(text, inner, moved);
  return deletions && [{ start, end: start, text: written + joint }, ...deletions];
}
