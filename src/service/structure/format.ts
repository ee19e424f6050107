/** Formatting: indentation and blanks, never the words, the styles of scalars or the comments. */
import { parseDocument } from 'yaml';
import { type OutlineNode } from '../text/node';
import { textOutline } from '../text/outline';

const COMMENTS = /^[^\S\n]*#.*$|\S[^\S\n]+#.*$/gm;

/** The formatted text; the text itself where it is not YAML, or where formatting would lose something. */
export function formattedText(text: string): string {
  const document = parseDocument(text, { logLevel: 'silent' });
  if (document.errors.length > 0) return text;
  const formatted = withTightLists(document.toString({ lineWidth: 0, indent: 2, indentSeq: true }));
  const again = parseDocument(formatted, { logLevel: 'silent' });
  const isSame =
    again.errors.length === 0 && JSON.stringify(again.toJS()) === JSON.stringify(document.toJS());
  return isSame && commentsOf(formatted) === commentsOf(text) ? formatted : text;
}

/** Without the blanks inside of brackets: braces have them, brackets have none. */
function withTightLists(text: string): string {
  const blanks: number[] = [];
  const visit = (node: OutlineNode): void => {
    for (const item of node.items) visit(item);
    for (const { value } of node.entries) visit(value);
    if (node.kind !== 'list' || node.style !== 'flow') return;
    for (const at of [node.start + 1, node.end - 2]) if (text[at] === ' ') blanks.push(at);
  };
  visit(textOutline(text));
  return blanks.toSorted((a, b) => b - a).reduce((all, at) => all.slice(0, at) + all.slice(at + 1), text);
}

/** The comments, and which of them have a line of their own. */
function commentsOf(text: string): string {
  return (text.match(COMMENTS) ?? [])
    .map((comment) => comment.replaceAll(/[^\S\n]+/g, ' ').trim())
    .join('\n');
}
