import { realPlaybooks, testWithRealPlaybooks } from '../../../../test/support/real-playbooks';
import { someOf } from '../../../../test/support/sampled';
import { compile } from '../compile';
import { meaningOf } from './same';
import { mended } from './mend';
import { upgrade, type Upgraded } from './upgrade';

testWithRealPlaybooks();
const old = someOf([...realPlaybooks('v10'), ...realPlaybooks('current')], 3);
const examples = realPlaybooks('examples');
/** The vocabulary of `case` is a living one: what has no exact equal in arcs and rules stays, with a note. */
const usesCase = ({ text }: { text: string }): boolean => /^\s+case:/m.test(text);
const early = someOf([...realPlaybooks('early'), ...examples.filter(usesCase)], 3);
const own = someOf(
  examples.filter((one) => !usesCase(one)),
  3,
);
/** Each playbook is looked at several times. */
const results = new Map<string, Upgraded>();
function upgraded(text: string): Upgraded {
  const found = results.get(text) ?? upgrade(text);
  results.set(text, found);
  return found;
}

test.each([...old, ...own])('$name keeps the meaning of its plan, and no old spelling', ({ text }) => {
  const before = compile(text).plan;
  const { text: after, notes } = upgraded(text);
  const { plan, diagnostics } = compile(after);
  expect(plan === undefined).toBe(before === undefined);
  if (before !== undefined && plan !== undefined) expect(meaningOf(plan)).toBe(meaningOf(before));
  expect(diagnostics.filter((each) => each.code.startsWith('NT5'))).toEqual([]);
  expect(notes).toEqual([]);
  expect(after).not.toMatch(/^\s*(set_ctx|set_iter):/m);
  expect(upgrade(after).text).toBe(after);
});

describe('playbooks in the vocabulary of case', () => {
  test.each(early)('$name gains no error, and settles', ({ text }) => {
    const errors = (playbook: string): number =>
      compile(playbook).diagnostics.filter((each) => each.severity === 'error').length;
    const { text: after } = upgraded(text);
    expect(errors(after)).toBeLessThanOrEqual(errors(text));
    expect(upgrade(after).text).toBe(after);
  });
});

test.each([...old, ...own, ...early])('$name: new spellings mean the same', ({ text }) => {
  const before = compile(text).plan;
  const after = compile(mended(text, {}, 'spellings').text).plan;
  expect(after && JSON.parse(meaningOf(after))).toEqual(before && JSON.parse(meaningOf(before)));
});

test.each([...old, ...own, ...early])('$name: what is left of older spellings is listed', ({ text }) => {
  const { text: after, notes } = upgraded(text);
  const listed = new Set(notes.map(({ line, column }) => `${line}:${column}`));
  const left = compile(after).diagnostics.filter(({ code }) => /^NT(5\d\d\d|20(06|1[02-8]))$/.test(code));
  expect(left.filter(({ line, column }) => !listed.has(`${line}:${column}`))).toEqual([]);
});

test('every comment and line of code of a playbook is still there', () => {
  for (const { text } of [...old, ...own, ...early]) {
    const after = upgraded(text).text;
    const remarks = [...text.matchAll(/^\s*#.*$/gm)].map(([line]) => line.trim());
    expect(remarks.filter((line) => !after.includes(line))).toEqual([]);
  }
});
