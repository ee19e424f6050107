import { type Code, type CodeEntry, CODES, type Severity } from './codes';
import { type LineIndex } from '../yaml/lines';

/** One finding about a playbook. Lines and columns are 1-based; columns count UTF-16 units, as editors do. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  /** As the caller named the playbook; absent when it did not come from a file. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** Where in the document, e.g. `workflow[2].tool[0].url`; empty for the document itself. */
  readonly path: string;
  readonly hint?: string;
}

/** Anything with a place in the text: a node, a key, or a computed range. */
export interface Located {
  readonly start: number;
  readonly end: number;
  readonly path: string;
}

/** More than this many findings of one severity help nobody. */
const MAX_DIAGNOSTICS = 500;

/** Where problems are told; a stage never stops at its first. */
export interface Report {
  /** The severity is the code's own; a deprecation, and what is marked `strict`, is an error in strict mode. */
  add(code: Code, where: Located, message: string, hint?: string): void;
}

/** A report that nobody reads, for a look at something that is read again later. */
export const SILENT: Report = { add: () => undefined };

/** Collects the findings of one compilation. */
export class Findings implements Report {
  private readonly found = new Map<string, Diagnostic>();
  private readonly lines: LineIndex;
  private readonly options: { readonly file?: string; readonly strict?: boolean };
  private readonly counts = { error: 0, warning: 0, info: 0 };

  constructor(lines: LineIndex, options: { readonly file?: string; readonly strict?: boolean }) {
    this.lines = lines;
    this.options = options;
  }

  add(code: Code, where: Located, message: string, hint?: string): void {
    const severity = this.severityOf(code);
    const [line, column] = this.lines.position(where.start);
    const [endLine, endColumn] = this.lines.position(Math.max(where.end, where.start));
    const key = `${code} ${line}:${column} ${message}`;
    const count = this.counts[severity];
    if (this.found.has(key) || count >= MAX_DIAGNOSTICS) return;
    this.counts[severity] = count + 1;
    const { file } = this.options;
    this.found.set(key, {
      code,
      severity,
      message,
      ...(file === undefined ? {} : { file }),
      line,
      column,
      endLine,
      endColumn,
      path: where.path,
      ...(hint === undefined ? {} : { hint }),
    });
  }

  get hasErrors(): boolean {
    return this.counts.error > 0;
  }

  /** In the order of the text. */
  list(): Diagnostic[] {
    return inOrder(this.found.values());
  }

  private severityOf(code: Code): Severity {
    const { severity, strict }: CodeEntry = CODES[code];
    return this.options.strict && (strict || code.startsWith('NT5')) ? 'error' : severity;
  }
}

/** In the order of the text. */
export function inOrder(diagnostics: Iterable<Diagnostic>): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) => a.line - b.line || a.column - b.column || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  );
}
