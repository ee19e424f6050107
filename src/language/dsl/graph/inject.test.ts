import { injectGraph } from './inject';

const page = (inside: string): string =>
  `# A\n\n<!-- noetl:graph a.yaml -->${inside}<!-- /noetl:graph -->\n\nafter\n<!-- noetl:graph b.yaml -->\nB\n<!-- /noetl:graph -->\n`;

test('replaces what stands between the markers of the file, and nothing else', () => {
  const once = injectGraph(page('\nold\n```\n'), 'flowchart TD\n  s0\n', (file) => file === 'a.yaml');
  expect(once).toBe(page('\n\n```mermaid\nflowchart TD\n  s0\n```\n\n'));
  expect(injectGraph(once, 'flowchart TD\n  s0\n', (file) => file === 'a.yaml')).toBe(once);
});

test('keeps the line ends of the page', () => {
  const windows = page('\n').replaceAll('\n', '\r\n');
  const made = injectGraph(windows, 'x\n', (file) => file === 'a.yaml');
  expect(made.replaceAll('\r\n', '')).not.toContain('\n');
});

test.each([
  ['no marker of this file', page('\n'), () => false],
  ['a marker without its end', '<!-- noetl:graph a.yaml -->\ntext\n', () => true],
  [
    'a marker whose end belongs to the next',
    page('\n').replace('<!-- /noetl:graph -->', ''),
    (f: string) => f === 'a.yaml',
  ],
])('%s is an error, and the page stays', (_, text, isMeant) => {
  expect(() => injectGraph(text, 'x', isMeant)).toThrow(
    expect.objectContaining({ code: 'GRAPH_MARKER' }) as Error,
  );
});
