import { type Located } from '../diagnostics/diagnostic';
import { LIMITS, NOT_STORABLE } from './limits';
import { type Entry, type ListNode, type MapNode, type Node, type ScalarNode } from './node';
import { childPath, textNode } from './scalar';

/**
 * Reads the YAML that people write most: block mappings and lists, texts and brackets of one line, literal blocks.
 * Ten times as fast as the parser of the whole language, and of a playbook of a thousand steps parsing is the larger
 * part of its compilation.
 *
 * It knows no errors but size: where the text leaves this subset (anchors, tags, texts of several lines, tabs, anything
 * that may be wrong), the whole parser reads the text, and says what it has to say. A test compares the two over real,
 * random and damaged playbooks.
 */
export function readPlain(text: string): MapNode | 'left' | 'too many values' {
  if (/[\t\r\ufeff]/.test(text) || NOT_STORABLE.test(text)) return 'left';
  try {
    return new PlainReader(text).document();
  } catch (problem) {
    if (problem instanceof Left) return problem.why;
    throw problem;
  }
}

/** The text leaves the subset. */
class Left extends Error {
  constructor(readonly why: 'left' | 'too many values') {
    super(why);
  }
}

const LEFT = new Left('left');
const TOO_MANY = new Left('too many values');

function leave(): never {
  throw LEFT;
}

/** A name that no schema takes for anything but a text. */
const KEY = /[A-Za-z_][\w.-]*(?=:(?: |\n|$))/y;
const NO_TEXT = /^(?:null|true|false)$/i;
const DOUBLE_QUOTED = /"(?:[^"\\\n]|\\["\\/nt])*"/y;
const SINGLE_QUOTED = /'(?:[^'\n]|'')*'/y;
/** In brackets; what follows a text there is looked at by its reader. */
const FLOW_TEXT = /[\w./+~$<=(-][^,[\]{}\n#]*/y;
const INTEGER = /^[-+]?\d+$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
/** Numbers that are written otherwise, and what is none for JSON. */
const ODD_NUMBER = /^[-+]?(?:0[xo]|\.(?:inf|nan))/i;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

class PlainReader {
  /** The first character of the line to read next, blank lines and comments left out; its column. */
  private at = 0;
  private column = 0;
  private size = 0;

  constructor(private readonly text: string) {}

  document(): MapNode {
    this.toLine(0);
    if (this.text.startsWith('---\n', this.at) && this.column === 0) this.toLine(this.at + 4);
    if (this.at >= this.text.length || this.column !== 0 || this.isDash()) leave();
    const root = this.map('', 0);
    return this.at < this.text.length ? leave() : root;
  }

  /** Moves to the next line that holds something, from the beginning of a line on. */
  private toLine(from: number): void {
    const { text } = this;
    let start = from;
    for (;;) {
      let at = start;
      while (text[at] === ' ') at += 1;
      const char = text[at];
      if (char !== '\n' && char !== '#') {
        this.at = at;
        this.column = at - start;
        if (at >= text.length) this.column = -1;
        else if (at === start && (char === '%' || (at > 0 && isMarker(text, at)))) leave();
        return;
      }
      start = this.lineEnd(at) + 1;
      if (start > text.length) start = text.length;
    }
  }

  private lineEnd(from: number): number {
    const end = this.text.indexOf('\n', from);
    return end === -1 ? this.text.length : end;
  }

  private isDash(): boolean {
    const next = this.text[this.at + 1];
    return this.text[this.at] === '-' && (next === ' ' || next === '\n' || next === undefined);
  }

  private count(depth: number): void {
    this.size += 1;
    if (this.size > LIMITS.nodes) throw TOO_MANY;
    if (depth > LIMITS.depth) leave();
  }

  /** The mapping or list that begins at the current line. */
  private block(path: string, depth: number): Node {
    return this.isDash() ? this.list(path, depth) : this.map(path, depth);
  }

  private map(path: string, depth: number): MapNode {
    this.count(depth);
    const { at: start, column } = this;
    const entries: Entry[] = [];
    const keys = new Set<string>();
    let end = start;
    while (this.column === column && !this.isDash()) {
      const at = this.at;
      const key = this.match(KEY, at) ?? leave();
      if (keys.has(key) || NO_TEXT.test(key) || key.length > 1000) leave();
      keys.add(key);
      this.count(depth);
      const place: Located = { start: at, end: at + key.length, path: childPath(path, key) };
      const value = this.value(at + key.length + 1, column, place.path, depth + 1, true);
      entries.push({ key, at: place, value });
      end = value.end;
    }
    if (this.column > column || entries.length === 0) leave();
    return { kind: 'map', entries, start, end, path };
  }

  private list(path: string, depth: number): ListNode {
    this.count(depth);
    const { at: start, column } = this;
    const items: Node[] = [];
    while (this.column === column && this.isDash()) {
      items.push(this.item(`${path}[${items.length}]`, column, depth + 1));
    }
    if (this.column > column) leave();
    return { kind: 'list', items, start, end: items.at(-1)!.end, path };
  }

  /** What stands behind a dash: a block that begins in its line, or a value. */
  private item(path: string, column: number, depth: number): Node {
    const dash = this.at;
    const from = this.skip(dash + 1);
    const begins = this.text[from] === '-' ? /-(?: |\n|$)/y : KEY;
    if (this.match(begins, from) === undefined) return this.value(dash + 1, column, path, depth, false);
    this.at = from;
    this.column = column + from - dash;
    return this.block(path, depth);
  }

  /** The value behind a colon or a dash. A list may stand in the column of its key. */
  private value(from: number, column: number, path: string, depth: number, keyed: boolean): Node {
    const at = this.skip(from);
    const char = this.text[at];
    if (char === '\n' || char === undefined || (char === '#' && at > from)) {
      this.toLine(Math.min(this.lineEnd(at) + 1, this.text.length));
      if (this.column > column || (keyed && this.column === column && this.isDash())) {
        return this.block(path, depth);
      }
      // Blanks and remarks behind the colon have a say in where nothing stands.
      if (at > from) leave();
      this.count(depth);
      return { kind: 'scalar', value: null, offsetOf: () => from, start: from, end: from, path };
    }
    if (at === from) leave();
    if (char === '|') return this.literal(at, column, path, depth);
    const node = '"\'[{'.includes(char) ? this.flow(at, path, depth) : this.plain(at, path, depth);
    this.endOfLine(node.end);
    // A line that is indented deeper goes on with this value.
    return this.column > column ? leave() : node;
  }

  /** Nothing but a comment follows in the line. */
  private endOfLine(from: number): void {
    const at = this.skip(from);
    const char = this.text[at];
    if (char !== undefined && char !== '\n' && !(char === '#' && at > from)) leave();
    this.toLine(Math.min(this.lineEnd(at) + 1, this.text.length));
  }

  private plain(at: number, path: string, depth: number): ScalarNode {
    const line = this.text.slice(at, this.lineEnd(at));
    const comment = line.indexOf(' #');
    const value = (comment === -1 ? line : line.slice(0, comment)).trimEnd();
    if (/^(?:[?:,\]}#&*!>%@`]|- |-$)|: |:$/.test(value)) leave();
    return this.scalar(value, { start: at, end: at + value.length, path }, depth);
  }

  private scalar(written: string, at: Located, depth: number): ScalarNode {
    this.count(depth);
    const value = valueOf(written);
    if (typeof value === 'string') return textNode(this.text, at, 'plain', value);
    return { kind: 'scalar', value, offsetOf: () => at.start, start: at.start, end: at.end, path: at.path };
  }

  /** A value that may stand in brackets, and does not leave its line. */
  private flow(at: number, path: string, depth: number): Node {
    const char = this.text[at];
    if (char === '"' || char === "'") return this.quoted(at, path, depth);
    if (char === '[') return this.flowList(at, path, depth);
    if (char === '{') return this.flowMap(at, path, depth);
    const value = (this.match(FLOW_TEXT, at) ?? leave()).trimEnd();
    const next = this.text[at + value.length];
    if (
      /^-(?:\s|$)|:\s|:$/.test(value) ||
      next === '#' ||
      (next === ' ' && this.text[this.skip(at + value.length)] === '#')
    ) {
      leave();
    }
    return this.scalar(value, { start: at, end: at + value.length, path }, depth);
  }

  private quoted(at: number, path: string, depth: number): ScalarNode {
    this.count(depth);
    const double = this.text[at] === '"';
    const raw = this.match(double ? DOUBLE_QUOTED : SINGLE_QUOTED, at) ?? leave();
    const inner = raw.slice(1, -1);
    const value = double
      ? inner.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char)
      : inner.replaceAll("''", "'");
    return textNode(
      this.text,
      { start: at, end: at + raw.length, path },
      double ? 'double' : 'single',
      value,
    );
  }

  private flowList(start: number, path: string, depth: number): ListNode {
    this.count(depth);
    const items: Node[] = [];
    let at = this.skip(start + 1);
    while (this.text[at] !== ']' || items.length > 0) {
      const item = this.flow(at, `${path}[${items.length}]`, depth + 1);
      items.push(item);
      at = this.skip(item.end);
      if (this.text[at] === ']') break;
      at = this.text[at] === ',' ? this.skip(at + 1) : leave();
    }
    return { kind: 'list', items, start, end: at + 1, path };
  }

  private flowMap(start: number, path: string, depth: number): MapNode {
    this.count(depth);
    const entries: Entry[] = [];
    const keys = new Set<string>();
    let at = this.skip(start + 1);
    while (this.text[at] !== '}' || entries.length > 0) {
      const key = this.match(KEY, at) ?? leave();
      if (keys.has(key) || NO_TEXT.test(key)) leave();
      keys.add(key);
      this.count(depth);
      const place: Located = { start: at, end: at + key.length, path: childPath(path, key) };
      const value = this.flow(this.skip(place.end + 1), place.path, depth + 1);
      entries.push({ key, at: place, value });
      at = this.skip(value.end);
      if (this.text[at] === '}') break;
      at = this.text[at] === ',' ? this.skip(at + 1) : leave();
    }
    return { kind: 'map', entries, start, end: at + 1, path };
  }

  /** `|` and `|-`: the lines that are indented deeper than their key. */
  private literal(start: number, column: number, path: string, depth: number): ScalarNode {
    this.count(depth);
    const header = this.match(/\|-?(?= *\n)/y, start) ?? leave();
    const { text } = this;
    const lines: string[] = [];
    let indent = -1;
    let longestBlank = 0;
    let at = this.lineEnd(start) + 1;
    let contentEnd = at;
    while (at < text.length) {
      const end = this.lineEnd(at);
      const first = this.skip(at);
      if (first >= end) {
        longestBlank = Math.max(longestBlank, end - at);
        lines.push('');
      } else {
        if (first - at <= column) break;
        if (indent === -1) indent = first - at;
        if (first - at < indent) leave();
        lines.push(text.slice(at + indent, end));
        contentEnd = Math.min(end + 1, text.length);
      }
      at = end + 1;
    }
    if (indent === -1 || longestBlank > indent) leave();
    while (lines.at(-1) === '') lines.pop();
    const value = lines.join('\n') + (header === '|' ? '\n' : '');
    this.toLine(Math.min(at, text.length));
    return textNode(text, { start, end: contentEnd, path }, 'block', value);
  }

  private skip(from: number): number {
    let at = from;
    while (this.text[at] === ' ') at += 1;
    return at;
  }

  private match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.text)?.[0];
  }
}

/** The value of a text without quotes, by the core schema. */
function valueOf(written: string): string | number | boolean | null {
  const first = written.charCodeAt(0);
  // Digits, and what may stand before them.
  if ((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46) {
    if (ODD_NUMBER.test(written)) leave();
    const whole = INTEGER.test(written);
    if (!whole && !FLOAT.test(written)) return written;
    const value = Number(written);
    return (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) ? value : leave();
  }
  if (written.length > 5) return written;
  if (/^(?:~|null|Null|NULL)$/.test(written)) return null;
  if (/^(?:true|True|TRUE)$/.test(written)) return true;
  if (/^(?:false|False|FALSE)$/.test(written)) return false;
  return written;
}

/** A line that ends the document, or begins another. */
function isMarker(text: string, at: number): boolean {
  return /(?:---|\.\.\.)(?:\s|$)/y.test(text.slice(at, at + 4));
}
