import { type Code } from './codes';
import { type Example } from './examples/example';
import { REFERENCE_EXAMPLES } from './examples/references';
import { REHEARSAL_EXAMPLES } from './examples/rehearsal';
import { SECRET_EXAMPLES } from './examples/secrets';
import { STRUCTURE_EXAMPLES } from './examples/structure';
import { SYNTAX_EXAMPLES } from './examples/syntax';
import { USE_EXAMPLES } from './examples/use';

/** For every code, a playbook (for NT7 a rehearsal) that causes it. */
export const EXAMPLES: Readonly<Record<Code, Example>> = {
  ...SYNTAX_EXAMPLES,
  ...STRUCTURE_EXAMPLES,
  ...REFERENCE_EXAMPLES,
  ...SECRET_EXAMPLES,
  ...USE_EXAMPLES,
  ...REHEARSAL_EXAMPLES,
};
