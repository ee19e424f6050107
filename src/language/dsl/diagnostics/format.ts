import { linkedToDocs } from '../../errors';
import { LineIndex } from '../yaml/lines';
import { type Diagnostic } from './diagnostic';

const COLOURS = {
  error: '\x1b[31m',
  warning: '\x1b[33m',
  info: '\x1b[36m',
  dim: '\x1b[2m',
  bold: '\x1b[1m',
  off: '\x1b[0m',
};

/** Maximum length of a shown line. */
const WIDTH = 110;

/**
 * Formats diagnostics as text: position, message, the line with a caret under the spot, and how to fix it.
 *
 *     hello.yaml:7:13: error NT2004: `do` is `continue`, …, not the text "contiue"
 *        7 |         do: contiue
 *          |             ^^^^^^^
 *          = did you mean `continue`?
 */
export function formatDiagnostics(
  diagnostics: readonly Diagnostic[],
  text: string,
  options: { readonly color?: boolean } = {},
): string {
  const lines = new LineIndex(text);
  const paint = (code: keyof typeof COLOURS, what: string): string =>
    options.color ? `${COLOURS[code]}${what}${COLOURS.off}` : what;
  const blocks = diagnostics.map((each) => {
    const place = `${each.file ?? 'playbook'}:${each.line}:${each.column}`;
    const name = paint(each.severity, `${each.severity} ${each.code}`);
    const head = `${paint('bold', place)}: ${options.color ? linkedToDocs(name, each.code) : name}: ${each.message}`;
    return [head, ...snippet(each, lines, paint)].join('\n');
  });
  return [...blocks, summary(diagnostics)].filter((block) => block !== '').join('\n\n');
}

function snippet(
  each: Diagnostic,
  lines: LineIndex,
  paint: (code: keyof typeof COLOURS, what: string) => string,
): string[] {
  const gutter = ' '.repeat(Math.max(4, String(each.line).length + 1));
  const bar = paint('dim', '|');
  const line = lines.line(each.line).replace(/\t/g, ' ');
  const hint = each.hint === undefined ? [] : [`${gutter} ${paint('dim', '=')} ${each.hint}`];
  if (line.trim() === '') return hint;
  const from = Math.max(0, Math.min(each.column - 1 - WIDTH / 2, line.length - WIDTH));
  const until = each.endLine === each.line ? each.endColumn : line.length + 1;
  const length = Math.max(1, Math.min(until, from + WIDTH + 1) - each.column);
  const shown = line.slice(from, from + WIDTH);
  return [
    `${String(each.line).padStart(gutter.length)} ${bar} ${shown}`,
    `${gutter} ${bar} ${' '.repeat(each.column - 1 - from)}${paint(each.severity, '^'.repeat(length))}`,
    ...hint,
  ];
}

function summary(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic['severity']): string[] => {
    const number = diagnostics.filter((each) => each.severity === severity).length;
    return number === 0 ? [] : [`${number} ${severity}${number === 1 || severity === 'info' ? '' : 's'}`];
  };
  return [...count('error'), ...count('warning'), ...count('info')].join(', ');
}
