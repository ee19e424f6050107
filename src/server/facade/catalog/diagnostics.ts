/** Diagnostics in responses: as `validate --format json` for programs, as a sentence for people. */
import { z } from 'zod';
import { type Diagnostic, diagnosticDocument } from '../../../language/dsl';
import { FacadeError } from '../http/errors';

export const diagnosticBody = z
  .object({
    code: z.string(),
    severity: z.enum(['error', 'warning', 'info']),
    message: z.string(),
    line: z.int(),
    column: z.int(),
    end_line: z.int(),
    end_column: z.int(),
    path: z.string(),
    hint: z.string().nullable(),
  })
  .meta({ id: 'Diagnostic', description: 'A finding about a document; lines and columns count from 1.' });

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
