/** Rewords the YAML parser's errors in terms of the author's text where a common mistake explains them. */
import { type YAMLError } from 'yaml';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { inQuotes } from '../fixes/words';
import { QUOTE_IT, UNQUOTED } from './yaml-bounds';

const CLOSE_IT = 'write its `}` or `]`, and quote a value that contains a bracket';
const INDENT_IT = 'indent each line of the text deeper than its key';
const ONE_COLUMN = 'align the keys of a mapping, and the dashes of a list, in one column';
const NEEDS_QUOTES =
  'a value that contains `: ` needs quotes; a nested mapping begins on a new line; is a line indented too deep?';
const QUOTE_ALL = 'quote the whole value if it contains quotes or brackets followed by more text';
const COLON_MISSING = 'is a `:` missing after the key, or the indentation of this line wrong?';

/** Fixes, by the parser's code and message. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/Missing ,/, 'separate entries in brackets with commas; is a bracket or quote not closed?'],
  [/Missing closing/, 'a quote is not closed'],
  [/Implicit map keys need|^MULTILINE_IMPLICIT_KEY/, COLON_MISSING],
  [/^BLOCK_AS_IMPLICIT_KEY/, NEEDS_QUOTES],
  [/^BAD_INDENT|without - indicator/, ONE_COLUMN],
  [/^UNEXPECTED_TOKEN/, QUOTE_ALL],
];

/** The parser's message, reworded in terms of the author's text where a common mistake explains it. */
export function reportSyntax(error: YAMLError, text: string, report: Report): void {
  const at = span(error.pos[0], Math.max(error.pos[1], error.pos[0] + 1));
  const lineStart = text.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const line = text.slice(lineStart, lineEnd(text, error.pos[0]));
  const unquoted = /(?::|-)\s+(\{\{)/.exec(line);
  if (unquoted !== null && error.code !== 'TAB_AS_INDENT') {
    const start = lineStart + unquoted.index + unquoted[0].length - 2;
    const at = span(start, lineStart + line.trimEnd().length);
    report.add('NT1005', at, UNQUOTED, { hint: QUOTE_IT, ...inQuotes() });
    return;
  }
  if (error.code === 'TAB_AS_INDENT') {
    const tab = text.indexOf('\t', lineStart);
    report.add('NT1004', span(tab, tab + 1), 'YAML is indented with spaces, but this line begins with a tab');
    return;
  }
  const quote = openQuote(text, error.pos[0]);
  if (quote !== undefined) {
    report.add(
      'NT1001',
      span(quote, quote + 1),
      'this quote is not closed where the value ends',
      'a value must begin and end with the same quote',
    );
    return;
  }
  const bracket = openBracket(text, error);
  if (bracket !== undefined) {
    report.add('NT1001', span(bracket, bracket + 1), 'this bracket is not closed', CLOSE_IT);
    return;
  }
  const block = unindentedBlock(text, error.pos[0]);
  if (block !== undefined) {
    const message = 'the lines of the text that begins after this are not indented';
    report.add('NT1001', span(block, block + 1), message, INDENT_IT);
    return;
  }
  const hint = HINTS.find(([what]) => what.test(`${error.code} ${error.message}`))?.[1];
  report.add('NT1001', at, lowerFirst(error.message), hint);
}

/** The start of the mapping or list in brackets whose end the parser misses. */
function openBracket(text: string, { message, pos }: YAMLError): number | undefined {
  const kind = /^Flow (map|sequence) in .* end with a /.exec(message)?.[1];
  if (kind === undefined) return undefined;
  const [open, close] = kind === 'map' ? '{}' : '[]';
  let depth = 0;
  for (let at = pos[0] - 1; at >= 0; at -= 1) {
    if (text[at] === close) depth += 1;
    else if (text[at] === open && --depth < 0) return at;
  }
  return undefined;
}

/**
 * The `|` or `>` whose text is not indented below its key: the parser sees an empty text, followed by invalid YAML.
 * Searches upwards from the error.
 */
function unindentedBlock(text: string, offset: number): number | undefined {
  const lines = text.slice(0, lineEnd(text, offset)).split('\n');
  let below: string | undefined;
  for (let number = lines.length - 1; number >= Math.max(0, lines.length - LOOKED_AT); number -= 1) {
    const line = lines[number]!;
    if (line.trim() === '') continue;
    const [, dashes, sign] = /^([ -]*)[^#]*?[:-] ([|>])[-+0-9]*\s*(?:#.*)?$/.exec(line) ?? [];
    if (dashes !== undefined && below !== undefined) {
      if (below.search(/\S/) > dashes.length) return undefined;
      return lines.slice(0, number).join('\n').length + (number > 0 ? 1 : 0) + line.lastIndexOf(sign!);
    }
    below = line;
  }
  return undefined;
}

/** Lines above an error that may contain its cause. */
const LOOKED_AT = 40;

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}

/**
 * A quote that is not closed in its line: the parser reads on to the next quote, and reports the error only there.
 * Searches upwards from the error.
 */
function openQuote(text: string, offset: number): number | undefined {
  let end = text.lastIndexOf('\n', offset - 1);
  for (let i = 0; i < LOOKED_AT && end > 0; i += 1) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const line = text.slice(start, end);
    const value = /^(?:\s*- )*\s*(?:[\w.-]+:\s+|- )(["'])/.exec(line);
    if (value !== null) {
      const body = line.slice(value[0].length).replace(/\\.|''/g, '');
      const open = start + value[0].length - 1;
      if (!body.includes(value[1]!) && reaches(text, open, offset)) return open;
    }
    end = start - 1;
  }
  return undefined;
}

/** Whether the text quoted from `open` ends in the line of `offset`, or never; it may intentionally span lines. */
function reaches(text: string, open: number, offset: number): boolean {
  const closing = text[open] === '"' ? /(?:[^"\\]|\\[^])*"/y : /(?:[^']|'')*'/y;
  closing.lastIndex = open + 1;
  return !closing.test(text) || !text.slice(closing.lastIndex, offset).includes('\n');
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

export function span(start: number, end: number): Located {
  return { start, end, path: '' };
}
