/**
 * The structure of a YAML text while it is being written: keys, items and scalars with their places, found by indentation.
 * Nothing is an error here: a line that does not fit is put where its column says.
 */
import { flowValue, quotedEnd } from './flow';
import { lineStarts, type OutlineEntry, outlineEntry, type OutlineNode, outlineNode } from './node';

/** A key and its colon. */
const KEY =
  /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#&*!|>%@`"'{}[\],?:-](?:[^#:]|:(?=\S)|(?<=\S)#)*?|[-?:](?=[^\s,[\]{}])(?:[^#:]|:(?=\S))*?))\s*:(?=\s|$)/;
const COMMENT = /^\s*(#.*)?$/;
/** No value yet: an anchor, a tag, a comment. */
const NOTHING = /^(?:[&!]\S*\s*)*(#.*)?$/;
const BLOCK = /^(?:[&!]\S+\s+)*[|>][-+0-9]*\s*(#.*)?$/;

/** A container that is open while lines are read; children stand at its column. */
interface Open {
  readonly column: number;
  readonly node: OutlineNode;
}

class OutlineReader {
  private readonly origin = { at: 0 };
  readonly root = outlineNode(this.origin, 0);
  private readonly holder = outlineNode(this.origin, 0, 'list');
  private readonly open: Open[] = [{ column: -1, node: this.holder }];
  private line = 0;

  constructor(
    private readonly text: string,
    private readonly starts: readonly number[],
  ) {}

  read(): void {
    this.holder.items.push(this.root);
    while (this.line < this.starts.length) {
      const at = this.line;
      const content = this.lineText(at);
      this.line += 1;
      if (!COMMENT.test(content) && !/^(---|\.\.\.|%)/.test(content)) this.readLine(content, this.start(at));
    }
  }

  private start(line: number): number {
    return this.starts[line] ?? this.text.length;
  }

  private lineText(line: number): string {
    const end = line + 1 < this.starts.length ? this.start(line + 1) - 1 : this.text.length;
    const content = this.text.slice(this.start(line), end);
    return content.endsWith('\r') ? content.slice(0, -1) : content;
  }

  private readLine(content: string, start: number): void {
    let column = content.length - content.trimStart().length;
    while (content[column] === '-' && /^-(\s|$)/.test(content.slice(column, column + 2))) {
      this.dash(column, start + column);
      column += 1;
      while (content[column] === ' ') column += 1;
      if (COMMENT.test(content.slice(column))) return;
    }
    const match = KEY.exec(content.slice(column));
    if (match === null) this.scalar(content, column, start);
    else {
      const key = match[1] ?? match[2]?.replaceAll("''", "'") ?? match[3] ?? '';
      const entry = this.key(key, column, start + column, start + column + match[0].length);
      let from = column + match[0].length;
      while (content[from] === ' ' || content[from] === '\t') from += 1;
      if (!NOTHING.test(content.slice(from))) this.fill(entry.value, content, { from, start, column });
    }
  }

  private dash(column: number, at: number): void {
    this.close(column, true);
    const list = this.container('list', column, at);
    list.items.push(outlineNode(this.origin, at + 1));
    this.extend(at + 1);
  }

  private key(key: string, column: number, start: number, end: number): OutlineEntry {
    this.close(column, false);
    const map = this.container('map', column, start);
    const colon = /\s*:$/.exec(this.text.slice(start, end))?.[0].length ?? 0;
    const entry = outlineEntry(key, outlineNode(this.origin, end), { start, end: end - colon });
    map.entries.push(entry);
    this.extend(end);
    return entry;
  }

  /** A line without a key: the value of what is open, the next line of one, or a key without its colon. */
  private scalar(content: string, column: number, start: number): void {
    this.close(column, false);
    const top = this.top();
    if (top.node.kind === 'map' && top.column === column) {
      const word = content.slice(column).trimEnd();
      const end = start + column + word.length;
      const range = { start: start + column, end };
      top.node.entries.push(outlineEntry(word, outlineNode(this.origin, end), range, true));
      this.extend(end);
      return;
    }
    const slot = lastValue(top.node);
    if (slot.kind !== 'none') return;
    this.fill(slot, content, { from: column, start, column: Math.max(top.column, 0) });
  }

  /** Reads the value that begins in a line, and the lines that continue it. */
  private fill(
    node: OutlineNode,
    content: string,
    { from, start, column }: { from: number; start: number; column: number },
  ): void {
    const props = /^(?:[&!]\S*\s+)*/.exec(content.slice(from))?.[0].length ?? 0;
    const at = start + from + props;
    const first = this.text[at];
    node.kind = 'scalar';
    node.start = at;
    if (BLOCK.test(content.slice(from))) {
      node.style = 'block';
      node.end = this.skip((line) => BLANK.test(line) || indentOf(line) > column);
    } else if (first === '{' || first === '[') {
      flowValue(this.text, node, this.limit(column));
    } else if (first === '"' || first === "'") {
      node.style = first === '"' ? 'double' : 'single';
      const end = quotedEnd(this.text, at, this.limit(column));
      node.end = end ?? start + content.trimEnd().length;
    } else {
      node.end = start + content.replace(/\s+#.*$/, '').trimEnd().length;
      if (node.end > at)
        node.end = Math.max(
          node.end,
          this.skip((line) => indentOf(line) > column && !isStructure(line)),
        );
    }
    while (this.start(this.line) <= node.end - 1 && this.line < this.starts.length) this.line += 1;
    this.extend(node.end);
  }

  /** Skips the lines that belong to a value; its end. */
  private skip(belongs: (line: string) => boolean): number {
    let end = this.start(this.line - 1) + this.lineText(this.line - 1).length;
    for (let at = this.line; at < this.starts.length; at += 1) {
      const content = this.lineText(at);
      if (!belongs(content)) break;
      if (content.trim() === '') continue;
      end = this.start(at) + content.length;
      this.line = at + 1;
    }
    return end;
  }

  /** Where a value that has no end of its own ends at the latest: before the next line that is not deeper. */
  private limit(column: number): number {
    for (let at = this.line; at < this.starts.length; at += 1) {
      const content = this.lineText(at);
      if (content.trim() !== '' && indentOf(content) <= column && !/^\s*[\]}]/.test(content))
        return this.start(at) - 1;
    }
    return this.text.endsWith('\n') ? this.text.length - 1 : this.text.length;
  }

  private top(): Open {
    return this.open.at(-1) ?? { column: -1, node: this.holder };
  }

  /** Closes what stands deeper than a column; a list of a key may stand at the key's own column. */
  private close(column: number, isDash: boolean): void {
    for (;;) {
      const { column: at, node } = this.top();
      if (at < column || this.open.length === 1) return;
      if (at === column && (isDash || node.kind === 'map')) return;
      this.open.pop();
    }
  }

  /** The mapping or list at a column, which begins here if there is none. */
  private container(kind: 'map' | 'list', column: number, at: number): OutlineNode {
    const top = this.top();
    if (top.node.kind === kind && top.column === column) return top.node;
    const slot = lastValue(top.node);
    if (slot.kind === 'none' || slot.kind === 'scalar') {
      slot.kind = kind;
      slot.start = at;
      slot.end = at;
      slot.style = 'plain';
    } else if (slot.kind !== kind) return outlineNode(this.origin, at, kind);
    this.open.push({ column, node: slot });
    return slot;
  }

  private extend(end: number): void {
    for (const { node } of this.open) if (node.kind !== 'none') node.end = Math.max(node.end, end);
  }
}

const BLANK = /^\s*$/;

function isStructure(line: string): boolean {
  const content = line.trimStart();
  return content.startsWith('#') || /^-(\s|$)/.test(content) || KEY.test(content);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The value that the next deeper line belongs to. */
function lastValue(node: OutlineNode): OutlineNode {
  return (
    (node.kind === 'map' ? node.entries.at(-1)?.value : node.items.at(-1)) ??
    outlineNode(node.origin, node.end)
  );
}

/** Reads the structure of a text; never fails. */
export function textOutline(text: string): OutlineNode {
  const reader = new OutlineReader(text, lineStarts(text));
  reader.read();
  return reader.root;
}
