/** The parts of a text for an editor: symbols, folds, selections. */
import { type PlaybookFacts, type DeclaredStep, type DeclaredTask } from '../names/facts';
import { type PathTo } from '../place/path';
import { type OutlineEntry, type OutlineNode, type TextRange } from '../text/node';

export interface DocumentPart extends TextRange {
  readonly name: string;
  readonly detail: string;
  /** As the Language Server Protocol calls it. */
  readonly kind: 'Namespace' | 'Function' | 'Method' | 'Variable';
  /** The place of the name. */
  readonly at: TextRange;
  readonly children: readonly DocumentPart[];
}

/** The sections of a playbook, its steps and their tasks. */
export function partsOfDocument({ root, steps, workbook }: PlaybookFacts): DocumentPart[] {
  const parts = (key: string, value: OutlineNode): DocumentPart[] => {
    if (key === 'workflow') return steps.map(stepPart);
    if (key === 'workbook') return workbook.map(taskPart);
    return key === 'workload' ? value.entries.map((entry) => entryPart(entry, 'Variable')) : [];
  };
  return root.entries.map((entry) => entryPart(entry, 'Namespace', parts(entry.key, entry.value)));
}

function entryPart(
  { key, start, end, value }: OutlineEntry,
  kind: DocumentPart['kind'],
  children: readonly DocumentPart[] = [],
): DocumentPart {
  const at = { start, end };
  return { name: key, detail: '', kind, start, end: Math.max(end, value.end), at, children };
}

function stepPart(step: DeclaredStep): DocumentPart {
  const { name, tasks, node, start, end } = step;
  return {
    ...{ name, detail: tasks.flatMap((task) => task.kind ?? []).join(', '), kind: 'Function' },
    ...{ start: node.start, end: Math.max(node.end, end), at: { start, end } },
    children: tasks.length > 1 ? tasks.map(taskPart) : [],
  };
}

function taskPart({ name, kind, node, at: named }: DeclaredTask): DocumentPart {
  const at: TextRange = named ?? { start: node.start, end: node.start };
  const range = { start: Math.min(at.start, node.start), end: Math.max(at.end, node.end) };
  return { name: name ?? kind ?? 'task', detail: kind ?? '', kind: 'Method', ...range, at, children: [] };
}

/** What can be folded: values of several lines. */
export function foldsOf(text: string, root: OutlineNode): TextRange[] {
  const folds: TextRange[] = [];
  const visit = (node: OutlineNode, from: number): void => {
    if (text.slice(from, node.end).trimEnd().includes('\n')) folds.push({ start: from, end: node.end });
    for (const item of node.items) visit(item, item.start);
    for (const entry of node.entries) visit(entry.value, entry.start);
  };
  for (const { start, value } of root.entries) visit(value, start);
  return folds;
}

/** Ranges around a place, the smallest first. */
export function selectionsAround({ parts, node }: PathTo): TextRange[] {
  const around = parts.toReversed().flatMap((part) => {
    const entry = typeof part.at === 'number' ? undefined : part.at;
    const whole = { start: part.node.start, end: part.node.end };
    return entry ? [{ start: entry.start, end: Math.max(entry.end, entry.value.end) }, whole] : [whole];
  });
  const all = [{ start: node.start, end: node.end }, ...around];
  return all.filter(
    (each, index) => index === 0 || each.start !== all[index - 1]?.start || each.end !== all[index - 1]?.end,
  );
}
