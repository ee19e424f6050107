/** Pages of docs whose YAML is compiled: a snippet without a head stands in a workflow with the page's workload. */
import fs from 'node:fs';
import path from 'node:path';
import { compile } from './compile';
import { formatDiagnostics } from './diagnostics/format';

/** What each page says its snippets stand in, and how many there are. */
const PAGES: Readonly<Record<string, { workload: string; keychain?: string; count: number }>> = {
  'case.md': { workload: '{url: "https://example.com", items: [{id: 1}]}', count: 3 },
  'limits.md': { workload: '{customer: acme, document: report.md}', count: 1 },
  'loops.md': { workload: '{items: [{id: 1}, {id: 2}]}', count: 4 },
  'secrets.md': {
    workload: '{id_url: "https://id.example.com", rows: [1]}',
    keychain: '[{name: api, kind: oauth2, endpoint: "https://id.example.com/token", auth: api_client}]',
    count: 2,
  },
  'step-cache.md': { workload: '{region: eu, day: "2026-11-23", url: "https://example.com"}', count: 2 },
  'sub-playbooks.md': { workload: '{orders: [{item: rope, count: 2}]}', count: 5 },
  'waiting.md': { workload: '{amount: 900, orders: [1, 2]}', count: 4 },
};

const VERSION = 'apiVersion: noetl.io/v2\nkind: Playbook\n';
const head = (workload: string, keychain = '[]'): string =>
  `${VERSION}metadata: {name: snippet}\nkeychain: ${keychain}\nworkload: ${workload}\nworkflow:\n`;

describe.each(Object.entries(PAGES))('docs/%s', (page, { workload, keychain, count }) => {
  const text = fs.readFileSync(path.resolve(__dirname, '../../../docs', page), 'utf8');
  const snippets = [...text.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(
    ([, snippet]) => head(workload, keychain) + snippet!,
  );

  test('says what its snippets stand in, and has all of them', () => {
    expect(text).toContain(`\`${workload}\``);
    if (keychain) expect(text).toContain(`\`${keychain}\``);
    expect(snippets).toHaveLength(count);
  });

  test.each(snippets)('a snippet compiles without a warning: %#', (snippet) => {
    expect(formatDiagnostics(compile(snippet).diagnostics, snippet)).toBe('');
  });
});

/** What stands at the root of a playbook, beside a workflow: fenced as `yml`. */
test.each([...rootsOf('secrets.md'), ...rootsOf('limits.md')])(
  'docs/%s: what stands at the root compiles without a warning',
  (_, root) => {
    const name = root.includes('metadata:')
      ? ''
      : 'metadata: {name: snippet}\nworkload: {id_url: "https://id.example.com", customer: acme, document: report.md}\n';
    const playbook = `${VERSION}${name}${root}workflow: [{step: start, tool: {kind: noop}}]\n`;
    const found = compile(playbook).diagnostics.filter(({ severity }) => severity !== 'info');
    expect(formatDiagnostics(found, playbook)).toBe('');
  },
);

function rootsOf(page: string): [string, string][] {
  const text = fs.readFileSync(path.resolve(__dirname, '../../../docs', page), 'utf8');
  return [...text.matchAll(/^```yml\n([^]*?)^```$/gm)].map(([, root]) => [page, root!]);
}
