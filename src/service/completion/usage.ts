/** How playbooks are written: which key follows which, which words and names are used where. */
import { templateParts } from '../text/expression';
import { CURSOR, type OutlineNode, scalarText } from '../text/node';
import LEARNED from './learned.json';

/** Counts of what occurs in which context. */
export class WritingUsage {
  private readonly counts = new Map<string, Map<string, number>>();

  add(context: string, what: string, times = 1): void {
    const of = this.counts.get(context) ?? new Map<string, number>();
    this.counts.set(context, of.set(what, (of.get(what) ?? 0) + times));
  }

  /** How much of what occurs in the context is this, from 0 to 1; rare contexts say little. */
  share(context: string, what: string): number {
    const of = this.counts.get(context);
    if (of === undefined) return 0;
    let total = 1;
    for (const each of of.values()) total += each;
    return (of.get(what) ?? 0) / total;
  }

  /** What occurs in the context, the most frequent first. */
  in(context: string): string[] {
    return [...(this.counts.get(context) ?? [])].toSorted((a, b) => b[1] - a[1]).map(([what]) => what);
  }

  each(visit: (context: string, what: string, times: number) => void): void {
    for (const [context, of] of this.counts) for (const [what, times] of of) visit(context, what, times);
  }

  /** One line for each context, for `learned.ts`. */
  lines(least: number): string[] {
    return [...this.counts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([context, of]) => {
        const kept = [...of].filter(([, times]) => times >= least).toSorted((a, b) => b[1] - a[1]);
        return kept.length === 0
          ? []
          : [`${context}=${kept.map(([what, times]) => `${what}:${times}`).join(' ')}`];
      });
  }

  static parse(lines: readonly string[]): WritingUsage {
    const usage = new WritingUsage();
    for (const line of lines) {
      const at = line.indexOf('=');
      for (const each of line.slice(at + 1).split(' ')) {
        const [what = '', times = '0'] = each.split(':');
        if (at > 0) usage.add(line.slice(0, at), what, Number(times));
      }
    }
    return usage;
  }
}

let learned: WritingUsage | undefined;

/** What this project's own playbooks and pages show; made by `bench complete --learn`. */
export function learnedUsage(): WritingUsage {
  return (learned ??= WritingUsage.parse(LEARNED));
}

/** Where a mapping stands: the two keys around it, and the kind of a tool. */
export function contextOf(keys: readonly string[], node: OutlineNode, text: string): string {
  const kind = node.entries.find(({ key }) => key === 'kind')?.value;
  return `${keys.slice(-2).join('/')}${keys.length > 0 && kind?.kind === 'scalar' ? `(${scalarText(text, kind) ?? ''})` : ''}`;
}

/** The keys around, with those that hold names of the author left out. */
const NAMED = new Set(['workload', 'mocks', 'calls', 'payload']);

/** Counts what a text contains. */
export function countUsage(
  text: string,
  node: OutlineNode,
  into: WritingUsage,
  keys: readonly string[] = [],
): void {
  for (const item of node.items) countUsage(text, item, into, keys);
  if (node.kind === 'scalar') countScalar(text, node, into, keys);
  if (NAMED.has(keys.at(-1) ?? ''))
    return node.entries.forEach(({ value }) => countUsage(text, value, into, [...keys, '*']));
  const context = contextOf(keys, node, text);
  let before = '^';
  for (const { key, value, unfinished } of node.entries) {
    if (unfinished || key.includes(CURSOR)) continue;
    into.add(`k ${context} ${before}`, key);
    into.add(`k ${context}`, key);
    before = key;
    countUsage(text, value, into, [...keys, key]);
  }
}

function countScalar(text: string, node: OutlineNode, into: WritingUsage, keys: readonly string[]): void {
  const value = scalarText(text, node) ?? '';
  if (/^[\w./-]{1,60}$/.test(value) && !/^-?[\d.]+$/.test(value))
    into.add(`v ${keys.slice(-2).join('/')}`, value);
  for (const { kind, text: word, path } of templateParts(text, node)) {
    if (kind === 'name') into.add(`r ${keys.at(-1) ?? ''}`, word);
    else if (path.length > 1) into.add(`p ${path.slice(0, -1).join('.')}`, word);
  }
}
