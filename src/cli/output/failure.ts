/** Formats a failed execution as text. */
import { type ToolKind } from '../../language/kinds/declaration';
import { extensions } from '../extensions';
import { isMapping, itemName, type Json, TOOL_KINDS } from '../../language/plan';
import { paint, printable } from './paint';
import { type DocumentError } from '../../history/document-error';

const SNIPPET_BEFORE = 2;
const SNIPPET_AFTER = 2;
const OUTPUT_LINES = 10;
const MAX_MESSAGE_LINES = 20;

/** Headline, location, snippet of the playbook, the tool's message, the end of its output, a hint. */
export function failureText(error: DocumentError, text: string | undefined, color: boolean): string {
  const { red, bold, dim, cyan, explained } = paint(color);
  const kind = error.kind ? dim(` (${error.kind})`) : '';
  const lines = [`${explained(red(bold(`✗ Failed: ${error.code}`)), error.code)}${kind}`];
  const place = whereabouts(error);
  if (place) lines.push(`  ${place}`);
  if (error.at) {
    lines.push(`  ${cyan(`${error.at.file ?? 'playbook'}:${error.at.line}:${error.at.column}`)}`, '');
    if (text !== undefined) lines.push(...snippet(text, error.at.line, error.at.column, color), '');
  } else lines.push('');
  const message = printable(error.message).split('\n');
  lines.push(...message.slice(0, MAX_MESSAGE_LINES).map((line) => `  ${line}`.trimEnd()));
  if (message.length > MAX_MESSAGE_LINES)
    lines.push(dim(`  … ${message.length - MAX_MESSAGE_LINES} more lines`));
  lines.push(...outputTail(error.cause, color));
  const hint = hintFor(error);
  if (hint) lines.push('', `  ${dim('hint:')} ${hint}`);
  return lines.join('\n');
}

function whereabouts(error: DocumentError): string {
  return [
    error.step === null ? '' : `step ${error.step}`,
    error.task === null ? '' : `task ${error.task}`,
    error.iteration === null ? '' : itemName(error.iteration),
    error.attempt === null ? '' : `attempt ${error.attempt}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function snippet(text: string, line: number, column: number, color: boolean): string[] {
  const { dim, red } = paint(color);
  const all = text.split(/\r?\n/);
  const first = Math.max(1, line - SNIPPET_BEFORE);
  const last = Math.min(all.length, line + SNIPPET_AFTER);
  const gutter = String(last).length;
  const lines: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const content = printable(all[number - 1] ?? '')
      .replaceAll('\t', ' ')
      .slice(0, 110);
    const label = String(number).padStart(gutter);
    if (number !== line) lines.push(dim(`    ${label} │ ${content}`.trimEnd()));
    else {
      lines.push(`  ${red('›')} ${label} │ ${content}`);
      if (column <= 110) lines.push(`    ${' '.repeat(gutter)} │ ${' '.repeat(column - 1)}${red('^')}`);
    }
  }
  return lines;
}

/** Output of a script before it failed: the outcome has stdout and stderr, at the top level or under its kind. */
function outputTail(cause: Json | undefined, color: boolean): string[] {
  const { dim } = paint(color);
  return ['stdout', 'stderr'].flatMap((stream) => {
    const output = findText(cause, stream);
    if (!output?.trim()) return [];
    const lines = printable(output).trimEnd().split('\n');
    const title =
      lines.length > OUTPUT_LINES ? `${stream}, last ${OUTPUT_LINES} of ${lines.length} lines` : stream;
    return ['', dim(`  ${title}`), ...lines.slice(-OUTPUT_LINES).map((line) => `  ${dim('│')} ${line}`)];
  });
}

function findText(value: Json | undefined, key: string, depth = 3): string | undefined {
  if (depth === 0 || !isMapping(value)) return undefined;
  const own = value[key];
  if (typeof own === 'string') return own;
  for (const inner of Object.values(value)) {
    const text = findText(inner as Json, key, depth - 1);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** For failures of any kind; hints for a single kind are in its declaration. */
const HINTS: NonNullable<ToolKind['hints']> = [
  [
    /^CREDENTIAL_/,
    'credentials are read from NOETL_CREDENTIAL_<NAME> (JSON or a postgres:// URL) or NOETL_CREDENTIALS_FILE.',
  ],
  [
    /^SANDBOX_(UNAVAILABLE|SETTING)$/,
    '`noetl-temporal doctor` on the worker shows which sandboxes it can enforce, and what it lacks.',
  ],
  [
    /^(ECONN|CONNECTION|ENOTFOUND)/,
    'nothing responded at that address: check that the service is running and the address is correct.',
  ],
  [/TIMEOUT$/, '`spec.timeout: { total: SECONDS }` on the task allows more time.'],
];

function hintFor(error: DocumentError): string | undefined {
  const kinds = [...Object.values(TOOL_KINDS), ...extensions().kinds.values()];
  const hints = [...kinds.flatMap((kind) => kind.hints ?? []), ...HINTS];
  return hints.find(([pattern]) => pattern.test(error.code))?.[1];
}
