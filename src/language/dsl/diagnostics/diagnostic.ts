import { type DiagnosticCode, type CodeEntry, CODES, type Severity } from './codes';
import { type LineIndex } from '../yaml/lines';
import { type Located, type MapEntry, type MapNode } from '../yaml/node';
import { compact } from '../../plan';

export { type Located } from '../yaml/node';

/** One finding about a playbook. Lines and columns are 1-based; columns count UTF-16 units, as editors do. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  /** As named by the caller; absent if the text is not from a file. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** Path in the document, e.g. `workflow[2].tool[0].url`; empty for the document itself. */
  readonly path: string;
  readonly hint?: string;
  /** What mends it, where there is one right answer; only if the caller asked for fixes. */
  readonly fix?: Fix;
}

/** A replacement of the characters from `start` to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A change of the text: all of its edits, or none. */
export interface Fix {
  /** In words, e.g. `` `args` → `input` ``. */
  readonly what: string;
  readonly edits: readonly Edit[];
  /** The plan gets another form of the same meaning. */
  readonly reshapes?: true;
}

/** What to do about a finding: in words and, where there is one right answer, as a change of the text. */
export interface Remedy {
  readonly hint?: string;
  readonly what: string;
  /** Undefined where the answer is not clear. */
  readonly edits: FixMaker;
  readonly reshapes?: true;
}

/** Makes the edits of a fix when all of the text has been read. */
export type FixMaker = (site: FixSite) => readonly Edit[] | undefined;

/** The place of a finding in the text as it was written: what the compiler reads may be corrected, merged or inlined. */
export interface FixSite {
  readonly text: string;
  readonly at: Located;
  /** The mappings around the place and their entries towards it, the innermost first. */
  readonly path: readonly { readonly map: MapNode; readonly entry: MapEntry }[];
  /** What the playbook declares; absent if it is not YAML. */
  readonly names?: SiteNames;
  /** Where a code was reported. */
  reported(code: DiagnosticCode): ReadonlySet<number>;
}

/** The names that a playbook declares, as far as fixes ask for them. */
export interface SiteNames {
  readonly workload: ReadonlySet<string>;
  readonly ctx: ReadonlySet<string>;
  readonly ofStep: ReadonlyMap<string, Readonly<Record<'inputs' | 'iter', ReadonlySet<string>>>>;
}

/** A construct that is accepted without a diagnostic, and has a newer form. */
export interface OlderForm {
  readonly line: number;
  readonly column: number;
  /** The construct as it is written. */
  readonly written: string;
  readonly hint?: string;
  readonly fix?: Fix;
}

/** Further diagnostics of the same severity are not helpful. */
const MAX_DIAGNOSTICS = 500;

/** Receives problems; no stage stops at its first. */
export interface Report {
  /** The severity is the code's own; deprecations, and codes marked `strict`, are errors in strict mode. */
  add(code: DiagnosticCode, where: Located, message: string, remedy?: string | Remedy): void;
  /** Names a construct that is accepted without a diagnostic, and has a newer form. */
  older(where: Located, remedy: Remedy): void;
}

/** Discards problems, for text that will be checked again later. */
export const SILENT: Report = { add: () => undefined, older: () => undefined };

/** A finding that may have a fix; without a diagnostic, an older form. */
export interface Proposal {
  readonly where: Located;
  readonly remedy: Remedy;
  readonly diagnostic?: Diagnostic;
}

/** Collects the findings of one compilation. */
export class Findings implements Report {
  readonly proposals: Proposal[] = [];
  private readonly byKey = new Map<string, Diagnostic>();
  private readonly lines: LineIndex;
  private readonly options: { readonly file?: string; readonly strict?: boolean };
  private readonly counts = { error: 0, warning: 0, info: 0 };

  constructor(lines: LineIndex, options: { readonly file?: string; readonly strict?: boolean }) {
    this.lines = lines;
    this.options = options;
  }

  older(where: Located, remedy: Remedy): void {
    this.proposals.push({ where, remedy });
  }

  add(code: DiagnosticCode, where: Located, message: string, remedy?: string | Remedy): void {
    const severity = this.severityOf(code);
    const [line, column] = this.lines.position(where.start);
    const [endLine, endColumn] = this.lines.position(Math.max(where.end, where.start));
    const key = `${code} ${line}:${column} ${message}`;
    const count = this.counts[severity];
    if (this.byKey.has(key) || count >= MAX_DIAGNOSTICS) return;
    this.counts[severity] = count + 1;
    const { file } = this.options;
    const hint = typeof remedy === 'string' ? remedy : remedy?.hint;
    const diagnostic: Diagnostic = {
      code,
      severity,
      message,
      ...compact({ file }),
      line,
      column,
      endLine,
      endColumn,
      path: where.path,
      ...compact({ hint }),
    };
    this.byKey.set(key, diagnostic);
    if (typeof remedy === 'object') this.proposals.push({ where, remedy, diagnostic });
  }

  get hasErrors(): boolean {
    return this.counts.error > 0;
  }

  /** In text order. */
  list(): Diagnostic[] {
    return inOrder(this.byKey.values());
  }

  private severityOf(code: DiagnosticCode): Severity {
    const { severity, strict }: CodeEntry = CODES[code];
    return this.options.strict && (strict || code.startsWith('NT5')) ? 'error' : severity;
  }
}

/** In text order. */
export function inOrder(diagnostics: Iterable<Diagnostic>): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) => a.line - b.line || a.column - b.column || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  );
}
