import { REFERENCE_CODES } from './codes/references';
import { REHEARSAL_CODES } from './codes/rehearsal';
import { SECRET_CODES } from './codes/secrets';
import { STRUCTURE_CODES } from './codes/structure';
import { SYNTAX_CODES } from './codes/syntax';
import { USE_CODES } from './codes/use';

export { type CodeEntry, type Severity } from './codes/entry';

/**
 * Every code the compiler can report. A code never changes its meaning and is never reused. NT1 syntax · NT2
 * structure · NT3 references · NT4 expressions · NT5 deprecations (errors with `strict`) · NT6 graph · NT7
 * rehearsals (reported by src/offline/rehearsal).
 */
export const CODES = {
  ...SYNTAX_CODES,
  ...STRUCTURE_CODES,
  ...REFERENCE_CODES,
  ...SECRET_CODES,
  ...USE_CODES,
  ...REHEARSAL_CODES,
} as const;

export type DiagnosticCode = keyof typeof CODES;
