/** Replaces the content between a file's markers in a page. */
import { CodedError } from '../../errors';
const OPEN = /^<!--\s*noetl:graph\s+(.+?)\s*-->[ \t]*$/;
const CLOSE = /^<!--\s*\/noetl:graph\s*-->[ \t]*$/;

/**
 * Replaces the content of `page` between the line `<!-- noetl:graph FILE -->` and the next line `<!-- /noetl:graph
 * -->`, wherever `isMeant(FILE)`.
 *
 * @throws CodedError `GRAPH_MARKER` if no marker matches, or one is not closed
 */
export function injectGraph(page: string, mermaid: string, isMeant: (file: string) => boolean): string {
  const eol = page.includes('\r\n') ? '\r\n' : '\n';
  const lines = page.split(/\r?\n/);
  const out: string[] = [];
  let isMarked = false;
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i]!;
    out.push(line);
    const file = OPEN.exec(line)?.[1];
    if (file === undefined || !isMeant(file)) continue;
    const close = lines.findIndex((each, k) => k > i && (CLOSE.test(each) || OPEN.test(each)));
    if (close === -1 || !CLOSE.test(lines[close]!)) {
      throw new CodedError(
        'GRAPH_MARKER',
        `line ${String(i + 1)}: the marker is not closed by <!-- /noetl:graph -->`,
      );
    }
    out.push('', '```mermaid', ...mermaid.trimEnd().split('\n'), '```', '', lines[close]!);
    isMarked = true;
    i = close;
  }
  if (!isMarked)
    throw new CodedError('GRAPH_MARKER', 'there is no marker <!-- noetl:graph FILE --> for this playbook');
  return out.join(eol);
}
