/**
 * The folder `docs` of this project, for readers who have no copy of it. The build of a release puts its tag in place of
 * the branch (scripts/docs-ref.mjs): later pages may say something else.
 */
export const DOCS_URL = 'https://github.com/noetl/noetl-temporal/blob/main/docs';
/** HTTP_404, SQLSTATE_23505, EXIT_1: what they mean is said by the systems that they come from. */
const OF_OTHERS = /^(HTTP_\d|SQLSTATE_|EXIT_\d)/;

/** Whether the code is one of ours, by its form: then `docsOf` has its page. */
export function isExplained(code: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(code) && !OF_OTHERS.test(code);
}

/** Text that terminals show as it is, and open the page of the code from. */
export function linkedToDocs(text: string, code: string): string {
  return isExplained(code) ? `\u001b]8;;${docsOf(code)}\u001b\\${text}\u001b]8;;\u001b\\` : text;
}

/** Where a code is explained: of a diagnostic, of an error, or of a finding of `check --deep`. */
export function docsOf(code: string): string {
  const page = /^NT\d/.test(code) ? 'diagnostics' : 'errors';
  return `${DOCS_URL}/reference/${page}.md#${code.toLowerCase()}`;
}
