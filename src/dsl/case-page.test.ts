import fs from 'node:fs';
import path from 'node:path';
import { compile } from './compile';
import { formatDiagnostics } from './diagnostics/format';

const PAGE = fs.readFileSync(path.resolve(__dirname, '../../docs/case.md'), 'utf8');
const HEAD = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: snippet}
workload: {url: "https://example.com", items: [{id: 1}]}
workflow:
`;

const snippets = [...PAGE.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, snippet]) => HEAD + snippet!);

test('docs/case.md shows rules, and repetition with storage', () => {
  expect(snippets).toHaveLength(2);
});

test.each(snippets)('a snippet of docs/case.md compiles without a warning: %#', (text) => {
  expect(formatDiagnostics(compile(text).diagnostics, text)).toBe('');
});
