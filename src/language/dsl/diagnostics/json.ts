import { docsOf } from '../../errors';
import { type DiagnosticCode, type Severity } from './codes';
import { type Diagnostic, type Fix } from './diagnostic';

/** A diagnostic for programs. */
interface DiagnosticDocument {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
  readonly path: string;
  readonly hint: string | null;
  readonly docs: string;
  /** Offsets in UTF-16 units; only where fixes were asked for, and there is one. */
  readonly fix?: Pick<Fix, 'what' | 'edits'>;
}

/** The format of `validate --format json` and the REST API. */
export function diagnosticDocument(one: Diagnostic): DiagnosticDocument {
  return {
    code: one.code,
    severity: one.severity,
    message: one.message,
    line: one.line,
    column: one.column,
    end_line: one.endLine,
    end_column: one.endColumn,
    path: one.path,
    hint: one.hint ?? null,
    docs: docsOf(one.code),
    ...(one.fix && { fix: { what: one.fix.what, edits: one.fix.edits } }),
  };
}
