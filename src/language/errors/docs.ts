/** The folder `docs` of this project, for readers who have no copy of it. */
export const DOCS_URL = 'https://github.com/noetl/noetl-temporal/blob/main/docs';

/** Text that terminals show as it is, and open the page of the code from. Not for codes that others choose. */
export function linkedToDocs(text: string, code: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(code) ? `\u001b]8;;${docsOf(code)}\u001b\\${text}\u001b]8;;\u001b\\` : text;
}

/** Where a code is explained: of a diagnostic, of an error, or of a finding of `check --deep`. */
export function docsOf(code: string): string {
  const page = /^NT\d/.test(code) ? 'diagnostics' : 'errors';
  return `${DOCS_URL}/reference/${page}.md#${code.toLowerCase()}`;
}
