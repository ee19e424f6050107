/** The folder `docs` of this project, for readers who have no copy of it. */
export const DOCS_URL = 'https://github.com/noetl/noetl-temporal/blob/main/docs';

/** The page that lists a code, relative to `docs`, at the code's anchor. */
export function pageOfCode(code: string): string {
  const page = /^NT\d/.test(code) ? 'diagnostics' : 'errors';
  return `reference/${page}.md#${code.toLowerCase()}`;
}

/** Where a code is explained: of a diagnostic, of an error, or of a finding of `check --deep`. */
export function docsOf(code: string): string {
  return `${DOCS_URL}/${pageOfCode(code)}`;
}
