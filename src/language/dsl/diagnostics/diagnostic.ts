import { type DiagnosticCode, type CodeEntry, CODES, type Severity } from './codes';
import { type LineIndex } from '../yaml/lines';
import { compact } from '../../plan';

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
}

/** Anything with a position in the text: a node, a key, or a computed range. */
export interface Located {
  readonly start: number;
  readonly end: number;
  readonly path: string;
}

/** Further diagnostics of the same severity are not helpful. */
const MAX_DIAGNOSTICS = 500;

/** Receives problems; no stage stops at its first. */
export interface Report {
  /** The severity is the code's own; deprecations, and codes marked `strict`, are errors in strict mode. */
  add(code: DiagnosticCode, where: Located, message: string, hint?: string): void;
}

/** Discards problems, for text that will be checked again later. */
export const SILENT: Report = { add: () => undefined };

/** Collects the findings of one compilation. */
export class Findings implements Report {
  private readonly byKey = new Map<string, Diagnostic>();
  private readonly lines: LineIndex;
  private readonly options: { readonly file?: string; readonly strict?: boolean };
  private readonly counts = { error: 0, warning: 0, info: 0 };

  constructor(lines: LineIndex, options: { readonly file?: string; readonly strict?: boolean }) {
    this.lines = lines;
    this.options = options;
  }

  add(code: DiagnosticCode, where: Located, message: string, hint?: string): void {
    const severity = this.severityOf(code);
    const [line, column] = this.lines.position(where.start);
    const [endLine, endColumn] = this.lines.position(Math.max(where.end, where.start));
    const key = `${code} ${line}:${column} ${message}`;
    const count = this.counts[severity];
    if (this.byKey.has(key) || count >= MAX_DIAGNOSTICS) return;
    this.counts[severity] = count + 1;
    const { file } = this.options;
    this.byKey.set(key, {
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
    });
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
