/** Outlines of texts that change a little: what was read of a step is used again, wherever the step stands now. */
import { type Origin, outlineEntry, type OutlineNode, ownText } from './node';
import { textOutline } from './outline';

export interface PlacedOutline {
  readonly root: OutlineNode;
  /** Puts its parts where they stand in its own text: texts share them. To be called before it is looked at. */
  place(): void;
}

/** Where the items of the workflow begin, and where what follows them does. */
function itemsOf(text: string): { starts: number[]; end: number } | undefined {
  const head = /^workflow:[ \t]*(?:#.*)?\r?\n(?:[ \t]*(?:#.*)?\r?\n)*( *)- /m.exec(text);
  if (head === null) return undefined;
  const first = head.index + head[0].length - 2 - (head[1]?.length ?? 0);
  const rest = /^[^\s#-]/gm;
  rest.lastIndex = first;
  const end = rest.exec(text)?.index ?? text.length;
  const item = new RegExp(`^ {${head[1]?.length ?? 0}}- `, 'gm');
  item.lastIndex = first;
  const starts: number[] = [];
  for (let match = item.exec(text); match && match.index < end; match = item.exec(text))
    starts.push(match.index);
  return { starts, end };
}

export class OutlineCache {
  private before = new Map<string, OutlineNode[]>();
  private parts = new Map<string, OutlineNode[]>();

  outline(text: string): PlacedOutline {
    const items = itemsOf(text);
    return (
      (items && this.joined(text, items.starts, items.end)) ?? {
        root: textOutline(text),
        place: () => undefined,
      }
    );
  }

  private joined(text: string, starts: readonly number[], end: number): PlacedOutline | undefined {
    this.before = this.parts;
    this.parts = new Map();
    const root = textOutline(text.slice(0, starts[0]));
    const workflow = root.entries.findLast(({ key }) => key === 'workflow')?.value;
    const steps = starts.map((start, index) => this.part(text.slice(start, starts[index + 1] ?? end)));
    if (workflow?.kind !== 'none' || steps.some(({ kind }) => kind !== 'list')) return undefined;
    const tail = textOutline(text.slice(end));
    const origins: [Origin, number][] = steps.map(({ origin }, index) => [origin, starts[index] ?? 0]);
    const place = (): void => {
      for (const [origin, at] of origins) origin.at = at;
    };
    place();
    tail.origin.at = end;
    workflow.kind = 'list';
    for (const { items } of steps) workflow.items.push(...items);
    workflow.start = steps[0]?.start ?? 0;
    workflow.end = steps.at(-1)?.end ?? workflow.start;
    for (const { key, value, start, end: to, unfinished } of tail.entries)
      root.entries.push(outlineEntry(key, value, { start, end: to }, unfinished));
    root.end = Math.max(workflow.end, tail.entries.length > 0 ? tail.end : 0);
    return { root, place };
  }

  /** What was read of this part, here or in the text before; a part that occurs twice is read twice. */
  private part(text: string): OutlineNode {
    const read = this.parts.get(text) ?? [];
    const node = this.before.get(text)?.[read.length] ?? textOutline(ownText(text));
    this.parts.set(text, [...read, node]);
    return node;
  }
}
