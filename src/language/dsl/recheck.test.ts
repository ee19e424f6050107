/** After an edit, the edited steps have the diagnostics of a full compile. */
import fc from 'fast-check';
import { parseDocument, isMap, isSeq } from 'yaml';
import { cases } from '../../../test/support/properties';
import { isBroken, realPlaybooks, testWithRealPlaybooks } from '../../../test/support/real-playbooks';
import { compile, type Diagnostic } from '.';
import { Recheck } from './recheck';

testWithRealPlaybooks();

/** The first and the last line of the steps that a range of the text touches. */
function linesAround(text: string, from: number, to: number): [number, number] {
  const workflow = parseDocument(text, { logLevel: 'silent' }).get('workflow', true);
  const items = isSeq(workflow) ? workflow.items.filter((item) => isMap(item)) : [];
  // The dash may stand in a line before.
  const starts = items.map(({ range }) => text.lastIndexOf('\n', text.lastIndexOf('-', range![0] - 1)) + 1);
  const line = (offset: number): number => text.slice(0, offset).split('\n').length;
  const first = starts.findLast((start) => start <= from) ?? 0;
  return [line(first), line(starts.find((start) => start >= to) ?? text.length)];
}

const PLAYBOOKS = (['examples', 'current', 'v10'] as const)
  .flatMap(realPlaybooks)
  .filter(({ name, text }) => !isBroken(name) && text.length < 20_000 && /^workflow:$/m.test(text));
const PIECES = [
  ...['x', ' ', '\n', '1', '{{ ', ' }}', '"', ': ', '# c\n', 'ctx.', 'workload.'],
  ...['\n    nonsense: 1', '\n  - step: other\n    tool: { kind: noop }', '\n    desc: two words', 'start'],
];

const EDIT = fc.record({
  file: fc.noBias(fc.nat()),
  at: fc.noBias(fc.nat()),
  removed: fc.nat({ max: 12 }),
  piece: fc.constantFrom(...PIECES),
});

/** How often the property was about something. */
let checked = 0;

test('an edited step has the diagnostics of a full compile', () => {
  const rechecks = new Map<string, Recheck>();
  const property = fc.property(EDIT, ({ file, at, removed, piece }) => {
    const { name, text } = PLAYBOOKS[file % PLAYBOOKS.length]!;
    const recheck = rechecks.get(name) ?? new Recheck({ fixes: true });
    if (!rechecks.has(name)) recheck.all(text);
    rechecks.set(name, recheck);
    const first = text.indexOf('\nworkflow:\n') + 20;
    const from = first + (at % (text.length - first));
    const changed = text.slice(0, from) + piece + text.slice(from + removed);
    const edited = recheck.edited(changed);
    if (edited === undefined || changed === text) return;
    checked += 1;
    const differs = changed.split('').findIndex((one, index) => one !== text[index]);
    const [top, bottom] = linesAround(changed, differs, Math.max(differs, from + piece.length));
    const inside = (all: readonly Diagnostic[]): unknown[] =>
      all.filter(({ line }) => line >= top && line < bottom);
    const { diagnostics } = compile(changed, { fixes: true });
    expect([name, changed, inside(edited)]).toEqual([name, changed, inside(diagnostics)]);
  });
  fc.assert(property, cases(300));
  // About a sixth of all edits.
  expect(checked).toBeGreaterThan(5);
});

const HEAD =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: a }\nworkload: { n: 1 }\nworkflow:\n';
const TEXT = `${HEAD}- step: start
  tool: { kind: noop, input: { a: "{{ workload.n }}" } }
  next: { arcs: [{ step: last }] }
- step: last
  tool: { kind: noop, input: { b: "{{ wrong }}" } }
`;

test('what is known of other steps moves with them', () => {
  const recheck = new Recheck({ fixes: true });
  recheck.all(TEXT);
  const changed = TEXT.replace('workload.n', 'workload.m').replace('  next:', '  desc: d\n  next:');
  expect(recheck.edited(changed)).toEqual(compile(changed, { fixes: true }).diagnostics);
  const longer = TEXT.replace('- step: last', '- step: more\n  tool: { kind: noop }\n- step: last');
  expect(recheck.edited(longer)?.find(({ message }) => message.includes('wrong'))).toMatchObject({
    line: 12,
    path: 'workflow[2].tool.input.b',
  });
});

test.each([
  ['nothing was checked', '', TEXT],
  ['the text is no YAML', TEXT, TEXT.replace('"{{ workload', '"{{ "workload')],
  ['something else was edited', TEXT, TEXT.replace('n: 1', 'n: 2')],
  ['the steps share anchors', TEXT.replace('{ step: last }', '&a { step: last }'), TEXT],
])('there is no answer if %s', (_, before, text) => {
  const recheck = new Recheck();
  recheck.all(before);
  expect(recheck.edited(text)).toBeUndefined();
});
