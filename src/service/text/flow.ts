/** Values in braces, brackets and quotes, which may not be closed yet. */
import { outlineEntry, type OutlineNode, outlineNode } from './node';

/** The end of a quoted scalar, behind its closing quote; undefined if it is not closed before the limit. */
export function quotedEnd(text: string, start: number, limit: number): number | undefined {
  const quote = text[start];
  for (let at = start + 1; at < limit; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) {
      if (quote === "'" && text[at + 1] === "'") at += 1;
      else return at + 1;
    }
  }
  return undefined;
}

/** Reads a mapping or list in braces into the node, as far as it is written. */
export function flowValue(text: string, node: OutlineNode, limit: number): void {
  const reader = new FlowReader(text, limit);
  reader.value(node, node.start);
}

class FlowReader {
  constructor(
    private readonly text: string,
    private readonly limit: number,
  ) {}

  /** @returns where it ends */
  value(node: OutlineNode, at: number): number {
    node.start = at;
    const first = this.text[at];
    if (this.text.startsWith('{{', at) || (first !== '{' && first !== '[')) return this.scalar(node, at);
    node.kind = first === '{' ? 'map' : 'list';
    node.style = 'flow';
    node.end = first === '{' ? this.map(node, at + 1) : this.list(node, at + 1);
    return node.end;
  }

  private scalar(node: OutlineNode, at: number): number {
    const first = this.text[at];
    node.kind = 'scalar';
    if (first === '"' || first === "'") {
      node.style = first === '"' ? 'double' : 'single';
      node.end = quotedEnd(this.text, at, this.limit) ?? this.lineEnd(at);
      return node.end;
    }
    let end = at;
    while (end < this.limit && !/[,\]}\n]/.test(this.text[end] ?? '')) {
      const close = this.text.startsWith('{{', end) ? this.text.indexOf('}}', end) : -1;
      end = close >= 0 && close < this.limit ? close + 2 : end + 1;
    }
    node.end = at + this.text.slice(at, end).trimEnd().length;
    if (node.end === at) node.kind = 'none';
    return end;
  }

  private map(node: OutlineNode, from: number): number {
    let at = this.skip(from);
    while (at < this.limit && this.text[at] !== '}') {
      if (this.text[at] === ',' || this.text[at] === ']') {
        at = this.skip(at + 1);
        continue;
      }
      const start = at;
      const { key, end } = this.keyAt(at);
      at = this.skip(end);
      const value = outlineNode(node.origin, end);
      const isFinished = this.text[at] === ':';
      node.entries.push(outlineEntry(key, value, { start, end }, !isFinished));
      if (isFinished) {
        const next = this.skip(at + 1);
        value.start = value.end = Math.min(at + 1, this.limit);
        at = /[,}\]]/.test(this.text[next] ?? '') || next >= this.limit ? next : this.value(value, next);
      } else if (end === start) at += 1;
      at = this.skip(at);
    }
    return Math.min(at + 1, this.limit);
  }

  private keyAt(at: number): { key: string; end: number } {
    const quoted = /["']/.test(this.text[at] ?? '') ? quotedEnd(this.text, at, this.limit) : undefined;
    if (quoted !== undefined) return { key: this.text.slice(at + 1, quoted - 1), end: quoted };
    let end = at;
    while (end < this.limit && !/^(?:[,}\]\n]|:(?:[\s,}\]"']|$))/.test(this.text.slice(end, end + 2)))
      end += 1;
    const key = this.text.slice(at, end).trimEnd();
    return { key, end: at + key.length };
  }

  private list(node: OutlineNode, from: number): number {
    let at = this.skip(from);
    while (at < this.limit && this.text[at] !== ']') {
      if (this.text[at] === ',' || this.text[at] === '}') {
        at = this.skip(at + 1);
        continue;
      }
      const item = outlineNode(node.origin, at);
      node.items.push(item);
      const end = this.value(item, at);
      at = this.skip(Math.max(end, at + 1));
    }
    return Math.min(at + 1, this.limit);
  }

  private skip(from: number): number {
    let at = from;
    while (at < this.limit) {
      if (/\s/.test(this.text[at] ?? '')) at += 1;
      else if (this.text[at] === '#' && /\s/.test(this.text[at - 1] ?? ' ')) at = this.lineEnd(at);
      else break;
    }
    return at;
  }

  private lineEnd(at: number): number {
    const end = this.text.indexOf('\n', at);
    return Math.min(end < 0 ? this.text.length : end, this.limit);
  }
}
