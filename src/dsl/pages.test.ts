/** Pages of docs whose YAML is compiled: a snippet without a head stands in a workflow with the page's workload. */
import fs from 'node:fs';
import path from 'node:path';
import { compile } from './compile';
import { formatDiagnostics } from './diagnostics/format';

/** What each page says its snippets stand in, and how many there are. */
const PAGES: Readonly<Record<string, { workload: string; count: number }>> = {
  'case.md': { workload: '{url: "https://example.com", items: [{id: 1}]}', count: 2 },
  'loops.md': { workload: '{items: [{id: 1}, {id: 2}]}', count: 1 },
  'sub-playbooks.md': { workload: '{orders: [{item: rope, count: 2}]}', count: 3 },
  'waiting.md': { workload: '{amount: 900, orders: [1, 2]}', count: 3 },
};

const head = (workload: string): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: snippet}
workload: ${workload}
workflow:
`;

describe.each(Object.entries(PAGES))('docs/%s', (page, { workload, count }) => {
  const text = fs.readFileSync(path.resolve(__dirname, '../../docs', page), 'utf8');
  const snippets = [...text.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(
    ([, snippet]) => head(workload) + snippet!,
  );

  test('says what its snippets stand in, and has all of them', () => {
    expect(text).toContain(`\`${workload}\``);
    expect(snippets).toHaveLength(count);
  });

  test.each(snippets)('a snippet compiles without a warning: %#', (snippet) => {
    expect(formatDiagnostics(compile(snippet).diagnostics, snippet)).toBe('');
  });
});
