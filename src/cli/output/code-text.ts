/** What the reference in this package says about a code of a diagnostic or an error. */
import fs from 'node:fs';
import path from 'node:path';
import { CodedError, DOCS_URL, docsOf } from '../../language/errors';
import { templateSuggestion } from '../../language/template/suggest';
import { packageFolder } from './version';

export const looksLikeCode = (word: string): boolean =>
  /^nt\d{4}$/i.test(word) || /^[A-Z][A-Z0-9_]+$/.test(word);

/** @throws CodedError if the reference does not have the code */
export function codeText(word: string): string {
  const code = word.toUpperCase();
  const [page = ''] = docsOf(code).slice(`${DOCS_URL}/`.length).split('#');
  const file = path.join(packageFolder(), 'docs', page);
  // Images do not contain the documentation.
  if (!fs.existsSync(file)) return docsOf(code);
  const sections = fs.readFileSync(file, 'utf8').split(/^<a id="(\w+)"><\/a>\n/m);
  const at = sections.indexOf(code.toLowerCase());
  if (at < 0) {
    const codes = sections.filter((_, index) => index % 2 === 1).map((id) => id.toUpperCase());
    throw new CodedError('CODE_UNKNOWN', `there is no code ${code}${templateSuggestion(code, codes)}`, {
      hint: [`codes of other systems (HTTP_404, SQLSTATE_23505) are not listed; ours: ${DOCS_URL}/reference`],
    });
  }
  const [section = ''] = sections[at + 1]!.split(/^## /m);
  return `${plain(section, page)}\n\n${docsOf(code)}`;
}

/** Without the marks that only a browser needs. */
function plain(markdown: string, page: string): string {
  return markdown
    .replace(/^### /m, '')
    .replaceAll(/\[([^\]]*)\]\(([^)]*)\)/g, (_, text: string, link: string) =>
      link.includes(':') ? `${text} (${link})` : path.posix.join('docs', path.posix.dirname(page), link),
    )
    .replaceAll(/^```\w*\n/gm, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&#123;', '{')
    .trim();
}
