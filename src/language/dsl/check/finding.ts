import { type Code } from '../diagnostics/codes';

/** A diagnostic for an unknown or misplaced name. */
export interface Finding {
  readonly code: Code;
  readonly message: string;
  readonly hint?: string;
}
