/** Excerpts of the playbook that ran, if the catalog has it. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Plan } from '../../src/language/plan';
import { askApi } from '../server/api';

const AROUND = 2;

/** The lines of the plan's source; none if the catalog does not have it. */
export function useSource(plan: Plan | undefined, given?: readonly string[]): readonly string[] {
  const id = plan?.source.catalog?.id;
  const [lines, setLines] = useState<readonly string[]>(given ?? []);
  useEffect(() => {
    if (id === undefined || given !== undefined) return;
    void askApi<{ content: string }>('/api/catalog/resource', { body: { catalog_id: id } }).then(
      ({ content }) => setLines(content.split('\n')),
      () => undefined,
    );
  }, [id]);
  return lines;
}

export function Excerpt({
  lines,
  line,
  tail = AROUND,
}: {
  lines: readonly string[];
  line: number;
  tail?: number;
}): JSX.Element | null {
  if (lines.length === 0 || line < 1) return <p class="where">Line {line} of the playbook</p>;
  const first = Math.max(1, line - AROUND);
  const shown = dedented(lines.slice(first - 1, line + tail));
  return (
    <pre
      class="excerpt"
      tabIndex={0}
      role="region"
      aria-label={`Lines from ${String(first)} of the playbook`}
    >
      {shown.map((text, index) => (
        <span key={index} class={first + index === line ? 'here' : ''}>
          <i>{first + index}</i>
          {text || ' '}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

/** Without the indentation that all lines have: it is not what is wrong. */
export function dedented(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const common = Math.min(...indents);
  return lines.map((line) => line.slice(common));
}
