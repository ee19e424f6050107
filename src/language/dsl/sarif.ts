import { docsOf } from '../errors';
import { type DiagnosticCode, type CodeEntry, CODES, type Severity } from './diagnostics/codes';
import { type Diagnostic, type Fix } from './diagnostics/diagnostic';

/** The diagnostics of one file, with its name in the log. */
interface SarifFile {
  /** A path relative to the root of the repository, with `/`, or an absolute `file:` URL. */
  readonly uri: string;
  readonly diagnostics: readonly Diagnostic[];
}

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

const RULE_IDS = Object.keys(CODES).sort() as DiagnosticCode[];
const RULE_INDEX: ReadonlyMap<DiagnosticCode, number> = new Map(RULE_IDS.map((code, i) => [code, i]));

/**
 * Diagnostics as a SARIF 2.1.0 log for code-scanning services and editors. Every code is a rule of the log, even
 * without results, so that a service can distinguish a satisfied rule from a removed one.
 */
export function sarifLog(files: readonly SarifFile[], version: string): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'noetl-temporal', semanticVersion: version, rules: RULE_IDS.map(rule) } },
        columnKind: 'utf16CodeUnits',
        artifacts: files.map(({ uri }) => ({ location: { uri: encodePath(uri) } })),
        results: files.flatMap(({ uri, diagnostics }, index) =>
          diagnostics.map((each) => result(each, encodePath(uri), index)),
        ),
      },
    ],
  };
}

function rule(code: DiagnosticCode): object {
  const { title, explanation, severity }: CodeEntry = CODES[code];
  return {
    id: code,
    name: pascalCase(title),
    shortDescription: { text: title },
    fullDescription: { text: explanation.replaceAll('`', '') },
    helpUri: docsOf(code),
    help: { text: explanation.replaceAll('`', ''), markdown: explanation },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { tags: [FAMILIES[code.slice(0, 3)]] },
  };
}

const FAMILIES: Readonly<Record<string, string>> = {
  NT1: 'syntax',
  NT2: 'structure',
  NT3: 'references',
  NT4: 'expressions',
  NT5: 'deprecations',
  NT6: 'graph',
  NT7: 'rehearsals',
};

function result(each: Diagnostic, uri: string, index: number): object {
  const { code, severity, message, hint, path, fix } = each;
  return {
    ruleId: code,
    ruleIndex: RULE_INDEX.get(code),
    level: LEVELS[severity],
    message: { text: hint === undefined ? message : `${message} (${hint})` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri, index }, region: region(each) },
        ...(path === '' ? {} : { logicalLocations: [{ fullyQualifiedName: path, kind: 'property' }] }),
      },
    ],
    ...(fix && { fixes: [sarifFix(fix, { uri, index })] }),
  };
}

function sarifFix({ what, edits }: Fix, artifactLocation: object): object {
  const replacements = edits.map(({ start, end, text }) => ({
    deletedRegion: { charOffset: start, charLength: end - start },
    insertedContent: { text },
  }));
  return { description: { text: what }, artifactChanges: [{ artifactLocation, replacements }] };
}

/** Ends are exclusive, as in SARIF. An empty region would be an insertion point: then the line is used. */
function region({ line, column, endLine, endColumn }: Diagnostic): object {
  const start = { startLine: line, startColumn: column };
  return line === endLine && column === endColumn ? start : { ...start, endLine, endColumn };
}

/** Escapes characters not allowed in a URI's path; a `file:` URL is unchanged. */
function encodePath(uri: string): string {
  return uri.startsWith('file://') ? uri : uri.split('/').map(encodeURIComponent).join('/');
}

/** `Missing field of a tool` → `MissingFieldOfATool`, the form that SARIF recommends for rule names. */
function pascalCase(title: string): string {
  return title
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
