/** Diagnostics in responses: as `validate --format json` for programs, as a sentence for people. */
import { type Diagnostic, diagnosticDocument } from '../../../language/dsl';
import { FacadeError } from '../http/errors';

/** NoETL's clients print only the sentence, so it is kept short. */
const SHOWN_ERRORS = 5;

/** @param name of the document, @param noun its expected kind */
export function invalidDocument(
  name: string,
  diagnostics: readonly Diagnostic[],
  noun = 'playbook',
): FacadeError {
  return new FacadeError(422, 'PLAYBOOK_INVALID', sentence(name, diagnostics, noun), {
    at: 'body.content',
    diagnostics: diagnostics.map(diagnosticDocument),
  });
}

/** `'a/b' is not a valid playbook: 7:13 … (hint) [NT2004]; (+3 more)`. */
function sentence(name: string, diagnostics: readonly Diagnostic[], noun = 'playbook'): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const summary = errors.slice(0, SHOWN_ERRORS).map(lineOf).join('; ');
  const more = errors.length > SHOWN_ERRORS ? ` (+${errors.length - SHOWN_ERRORS} more)` : '';
  return `${name} is not a valid ${noun}: ${summary}${more}`;
}

export function lineOf({ line, column, message, hint, code }: Diagnostic): string {
  return `${line}:${column} ${message}${hint ? ` (${hint})` : ''} [${code}]`;
}
