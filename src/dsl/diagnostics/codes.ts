import { REFERENCE_CODES } from './codes/references';
import { STRUCTURE_CODES } from './codes/structure';
import { SYNTAX_CODES } from './codes/syntax';
import { USE_CODES } from './codes/use';

export type Severity = 'error' | 'warning' | 'info';

/** What a code means, for docs/reference/diagnostics.md and for editors. */
export interface CodeEntry {
  readonly severity: Severity;
  readonly title: string;
  /** Why it is a problem and what to do, in full sentences. */
  readonly explanation: string;
}

/**
 * Every code the compiler can report. A code never changes its meaning; a code no longer used is not used again.
 * NT1 syntax · NT2 structure · NT3 references · NT4 expressions · NT5 deprecations (errors with `strict`) · NT6 graph.
 */
export const CODES = { ...SYNTAX_CODES, ...STRUCTURE_CODES, ...REFERENCE_CODES, ...USE_CODES } as const;

export type Code = keyof typeof CODES;
