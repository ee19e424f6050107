/** What `check --deep` found, for people and for code scanning. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { docsOf } from '../../language/errors';
import {
  DEEP_CODES,
  NEVER,
  type DeepChecked,
  type DeepCode,
  type DeepFinding,
} from '../../offline/proof/deep';
import { paint, printable, wantsColor } from './paint';
import { packageVersion } from './version';

/** What was found in a file. */
export interface DeepFile extends DeepChecked {
  readonly file: string;
  readonly lines: readonly string[];
  /** The rehearsals written for its findings, by their index. */
  readonly rehearsals: ReadonlyMap<number, string>;
}

export function deepLines(checked: DeepFile): string[] {
  const { file, findings, states, bound, complete, assumed, notCovered } = checked;
  const { green, dim } = paint(wantsColor(process.stdout));
  const isClean = findings.every(({ severity }) => severity === 'info');
  return [
    ...findings.flatMap((one, index) => [...findingLines(one, index, checked), '']),
    `${isClean ? `${green('✓')} ` : ''}${file}: ${states} states, bound ${bound}${complete ? '' : ', not all visited: what never happens was not reported'}`,
    ...assumed.map((one) => dim(`  assumed: ${one}`)),
    ...notCovered.map((one) => dim(printable(`  not covered: ${one}`))),
  ];
}

const MAX_TRACE = 12;

function findingLines(
  { code, severity, message, at, trace }: DeepFinding,
  index: number,
  of: DeepFile,
): string[] {
  const { red, yellow, cyan, dim, explained } = paint(wantsColor(process.stdout));
  const color = { error: red, warning: yellow, info: cyan }[severity];
  const source = of.lines[at[0] - 1]?.trim() ?? '';
  const rehearsal = of.rehearsals.get(index);
  const shown = trace.length > MAX_TRACE ? ['…', ...trace.slice(-MAX_TRACE)] : trace;
  return [
    `${printable(`${of.file}:${at[0]}:${at[1]}`)} ${color(severity)} ${explained(code, code)} ${printable(message)}`,
    printable(`  ${dim(source)}`),
    ...(shown.length > 0 ? [printable(`  ${wordFor(code)}: ${shown.join(' → ')}`)] : []),
    ...(rehearsal === undefined ? [] : [`  noetl-temporal test ${rehearsal}`]),
  ];
}

function wordFor(code: DeepCode): string {
  return NEVER.has(code) ? 'bypassed when' : 'when';
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const;

/** A SARIF 2.1.0 log. */
export function deepSarif(checked: readonly DeepFile[]): object {
  const codes = Object.keys(DEEP_CODES) as DeepCode[];
  const rules = codes.map((id) => {
    const [severity, title] = DEEP_CODES[id];
    const defaultConfiguration = { level: LEVELS[severity] };
    return { id, shortDescription: { text: title }, helpUri: docsOf(id), defaultConfiguration };
  });
  const results = checked.flatMap(({ file, findings }) =>
    findings.map(({ code, severity, message, at, trace }) => ({
      ruleId: code,
      ruleIndex: codes.indexOf(code),
      level: LEVELS[severity],
      message: { text: trace.length > 0 ? `${message} (${wordFor(code)}: ${trace.join(' → ')})` : message },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: uriOf(file) },
            region: { startLine: at[0], startColumn: at[1] },
          },
        },
      ],
    })),
  );
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'noetl-temporal check --deep', semanticVersion: packageVersion(), rules } },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  };
}

/** Relative to the current folder, which code-scanning services assume to be the root of the repository. */
function uriOf(file: string): string {
  const relative = path.relative(process.cwd(), file);
  const outside = relative.startsWith('..') || path.isAbsolute(relative);
  return outside ? pathToFileURL(file).href : encodeURI(relative.split(path.sep).join('/'));
}
