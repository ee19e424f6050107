/** A code of a diagnostic or an error: it leads to the page that explains it, if it is one of ours. */
import { type JSX } from 'preact';
import { docsOf, isExplained } from '../../src/language/errors';

export function Code({ of }: { of: string }): JSX.Element {
  const code = <code class="code">{of}</code>;
  if (!isExplained(of)) return code;
  return (
    <a class="explained" href={docsOf(of)} target="_blank" rel="noreferrer" title={`What ${of} means`}>
      {code}
    </a>
  );
}
