import { type DiagnosticCode } from '../diagnostics/codes';

/** A diagnostic for an unknown or misplaced name. */
export interface CheckFinding {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string;
}
