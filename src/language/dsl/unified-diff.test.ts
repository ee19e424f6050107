import fc from 'fast-check';
import { unifiedDiff } from './unified-diff';

const names = { from: 'a.yaml', to: 'a.yaml' };

/** Applies a unified diff, as `patch` would. */
function patched(text: string, diff: string): string {
  const lines = text.split('\n');
  const result: string[] = [];
  let position = 0;
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [head, ...body] = hunk.replace(/\n$/, '').split('\n');
    const [, start, size] = /^@@ -(\d+),(\d+) /.exec(head!)!;
    const from = Number(start) - (size === '0' ? 0 : 1);
    while (position < from) result.push(lines[position++]!);
    for (const line of body) {
      if (line.startsWith('\\')) continue;
      if (line.startsWith('+')) result.push(line.slice(1));
      else {
        expect(lines[position]).toBe(line.slice(1));
        if (line.startsWith(' ')) result.push(line.slice(1));
        position += 1;
      }
    }
  }
  return [...result, ...lines.slice(position)].join('\n');
}

test('equal texts have no diff', () => {
  expect(unifiedDiff('a\n', 'a\n', names)).toBe('');
});

test('changes close to each other share a hunk, distant ones do not', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i}\n`);
  const changed = lines.map((line, i) => ([2, 9, 25].includes(i) ? 'new\n' : line));
  const diff = unifiedDiff(lines.join(''), changed.join(''), names);
  expect(diff.match(/^@@.*$/gm)).toEqual(['@@ -1,13 +1,13 @@', '@@ -23,7 +23,7 @@']);
  expect(diff).toMatch(/^--- a\.yaml\n\+\+\+ a\.yaml\n/);
});

test('a last line without a line feed says so', () => {
  expect(unifiedDiff('a', 'b', names)).toContain('-a\n\\ No newline at end of file\n+b\n\\ No newline');
});

test('applying the diff to the old text gives the new one', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 })
    .map((all) => `${all.join('\n')}\n`);
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patched(before, unifiedDiff(before, after, names))).toBe(after);
    }),
  );
});
