import { type DiagnosticCode } from '../../../src/language/dsl/diagnostics/codes';
import { type Example } from './example';
import { REFERENCE_EXAMPLES } from './references';
import { REHEARSAL_EXAMPLES } from './rehearsal';
import { SECRET_EXAMPLES } from './secrets';
import { STRUCTURE_EXAMPLES } from './structure';
import { SYNTAX_EXAMPLES } from './syntax';
import { USE_EXAMPLES } from './use';

/** For every code, a playbook (for NT7 a rehearsal) that causes it. */
export const EXAMPLES: Readonly<Record<DiagnosticCode, Example>> = {
  ...SYNTAX_EXAMPLES,
  ...STRUCTURE_EXAMPLES,
  ...REFERENCE_EXAMPLES,
  ...SECRET_EXAMPLES,
  ...USE_EXAMPLES,
  ...REHEARSAL_EXAMPLES,
};
