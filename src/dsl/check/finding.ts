import { type Code } from '../diagnostics/codes';

/** What an unknown or misplaced name deserves. */
export interface Finding {
  readonly code: Code;
  readonly message: string;
  readonly hint?: string;
}
