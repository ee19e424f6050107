import { type Edit } from '../diagnostics/diagnostic';
import { type MapEntry, type MapNode, type YamlNode } from '../yaml/node';

/** The start of the line of an offset. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The end of the line of an offset: its line feed, or the end of the text. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}

/** The column of an offset in its line, from 0. */
export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** The line ending of the file. */
export function newline(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Whether a mapping or list is written in brackets. */
export function isFlow(text: string, node: YamlNode): boolean {
  return node.kind !== 'scalar' && (text[node.start] === '{' || text[node.start] === '[');
}

/** Whether the value starts on a later line than its key. */
export function isBelow(text: string, entry: MapEntry): boolean {
  return text.slice(entry.at.end, entry.value.start).includes('\n');
}

/** The offset after the colon of a key. */
export function afterColon(text: string, entry: MapEntry): number {
  return text.indexOf(':', entry.at.end) + 1;
}

/** The end of an entry's content, without trailing whitespace and comments. */
export function contentEnd(text: string, entry: MapEntry): number {
  const from = Math.max(entry.value.end, afterColon(text, entry));
  const start = entry.at.start;
  return start + text.slice(start, from).trimEnd().length;
}

/** The comment after the last line of an entry, with the preceding space. */
export function remarkBehind(text: string, moved: MapEntry): string {
  const end = contentEnd(text, moved);
  const rest = text.slice(end, lineEnd(text, end)).trimEnd();
  return rest.trim().startsWith('#') ? rest : '';
}

/** The whole lines of an entry, from the start of its key's line to the line feed after its last line. */
export function entryLines(text: string, entry: MapEntry): { start: number; end: number } {
  const end = lineEnd(text, contentEnd(text, entry));
  return { start: lineStart(text, entry.at.start), end: Math.min(end + 1, text.length) };
}

/** Whether only whitespace precedes an offset in its line. */
export function leads(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

/** Shifts every line that starts between the offsets to the right (or left, as far as there are spaces). */
export function shift(text: string, from: number, to: number, by: number): Edit[] {
  const edits: Edit[] = [];
  if (by === 0) return edits;
  for (let start = from; start < to; start = lineEnd(text, start) + 1) {
    const line = text.slice(start, lineEnd(text, start));
    if (line.trim() === '') continue;
    if (by > 0) edits.push({ start, end: start, text: ' '.repeat(by) });
    else {
      const spaces = /^ */.exec(line)![0].length;
      edits.push({ start, end: start + Math.min(-by, spaces), text: '' });
    }
  }
  return edits;
}

/** The edits that remove an entry from its mapping; undefined if comments would be lost. */
export function removal(text: string, map: MapNode, entry: MapEntry): Edit[] | undefined {
  const position = map.entries.indexOf(entry);
  if (isFlow(text, map)) {
    const next = map.entries[position + 1];
    const before = map.entries[position - 1];
    if (next !== undefined) return [{ start: entry.at.start, end: next.at.start, text: '' }];
    if (before === undefined) return undefined;
    return [{ start: contentEnd(text, before), end: contentEnd(text, entry), text: '' }];
  }
  if (leads(text, entry.at.start)) return [{ ...entryLines(text, entry), text: '' }];
  const next = map.entries[position + 1];
  if (next === undefined) return undefined;
  const between = text.slice(contentEnd(text, entry), next.at.start);
  return between.trim() === '' ? [{ start: entry.at.start, end: next.at.start, text: '' }] : undefined;
}

/** A key with a prefix, quoted as before. */
export function prefixedKey(text: string, entry: MapEntry, prefix: string): Edit[] {
  if (prefix === '' || entry.key.startsWith(prefix)) return [];
  const quoted = /["']/.test(text[entry.at.start] ?? '') ? 1 : 0;
  const start = entry.at.start + quoted;
  return [{ start, end: start, text: prefix }];
}

/** Puts something before and behind what is written from `start` to `end`. */
export function surround(start: number, end: number, before: string, behind: string): Edit[] {
  return [
    { start, end: start, text: before },
    { start: end, end, text: behind },
  ];
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let done = 0;
  for (const edit of sorted) {
    result += text.slice(done, edit.start) + edit.text;
    done = Math.max(done, edit.end);
  }
  return result + text.slice(done);
}
