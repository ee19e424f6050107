import { realPlaybooks } from '../../../test/support/real-playbooks';
import { OutlineCache } from './cache';
import { type OutlineNode } from './node';
import { textOutline } from './outline';

/** Everything of an outline, with its places. */
function plain({ kind, style, start, end, items, entries }: OutlineNode): unknown {
  return [
    kind,
    style,
    start,
    end,
    items.map(plain),
    entries.map((entry) => [entry.key, entry.start, entry.end, entry.unfinished, plain(entry.value)]),
  ];
}

test('what is used again is what would be read', () => {
  let count = 0;
  for (const { text } of realPlaybooks('examples')) {
    const outlines = new OutlineCache();
    const first = outlines.outline(text);
    // A word in every eleventh place, and the text as it was.
    for (let at = 3; at < text.length; at += 11 * 7) {
      const edited = `${text.slice(0, at)}x: y${text.slice(at + 2)}`;
      const { root } = outlines.outline(edited);
      expect([edited, root.entries.map(({ value }) => plain(value))]).toEqual([
        edited,
        textOutline(edited).entries.map(({ value }) => plain(value)),
      ]);
      count += 1;
    }
    first.place();
    expect(plain(first.root)).toEqual(plain(textOutline(text)));
  }
  expect(count).toBeGreaterThan(300);
});

test('a step that is there twice has two places', () => {
  const text = 'workflow:\n  - step: a\n    tool: { kind: noop }\n  - step: a\n    tool: { kind: noop }\n';
  const { root } = new OutlineCache().outline(text);
  expect(plain(root)).toEqual(plain(textOutline(text)));
});
