import { isPlaybookPath, workflowTypeOf } from './playbook-path';

test.each([
  ['examples/hello'],
  ['Überweisung prüfen: 2'],
  ['x'.repeat(200)],
  ['\u{1f600}'.repeat(200)],
  ['playbook'],
])('%j is a path, and the type of its workflows', (path) => {
  expect(isPlaybookPath(path)).toBe(true);
  expect(workflowTypeOf(path)).toBe(path);
});

test.each([
  [''],
  ['x'.repeat(201)],
  ['two\nlines'],
  ['nul\0'],
  ['half \ud83d'],
  ['noetl:chunk'],
  ['__temporal_x'],
  [7],
])('%j is none', (path) => {
  expect(isPlaybookPath(path)).toBe(false);
  expect(workflowTypeOf(path as string)).toBe('playbook');
});

test('what the SDK would find among the exports of any module is a path, and no type', () => {
  for (const name of ['toString', 'constructor', 'hasOwnProperty']) {
    expect(isPlaybookPath(name)).toBe(true);
    expect(workflowTypeOf(name)).toBe('playbook');
  }
});
