import { type DiagnosticCode } from '../diagnostics/codes';
import { type Remedy } from '../diagnostics/diagnostic';

/** A diagnostic for an unknown or misplaced name. */
export interface CheckFinding {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string | Remedy;
}
