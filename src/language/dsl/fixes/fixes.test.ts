import fc from 'fast-check';
import { unmark } from '../../../../test/support/diagnostics/example';
import { EXAMPLES } from '../../../../test/support/diagnostics/examples';
import { cases } from '../../../../test/support/properties';
import { casePlaybook } from '../../../../test/support/random-case-playbooks';
import { HEAD } from '../../../../test/support/upgraded';
import { compile } from '../compile';
import { CODES } from '../diagnostics/codes';
import { type Diagnostic, type Fix } from '../diagnostics/diagnostic';
import { formatDiagnostics } from '../diagnostics/format';
import { mended } from '../upgrade';
import { compatible } from '../upgrade/mend';
import { applyEdits } from './text';

const look = (text: string): Diagnostic[] => compile(text, { fixes: true }).diagnostics;
const errorsOf = (text: string): Diagnostic[] => look(text).filter(({ severity }) => severity === 'error');
const fixesOf = (text: string): Fix[] => look(text).flatMap(({ fix }) => fix ?? []);

function expectNoNewError(before: string, { edits, what }: Fix): void {
  const after = applyEdits(before, edits);
  const errors = errorsOf(after);
  const said = `${what}\n${after}\n${formatDiagnostics(errors, after)}`;
  expect({ said, more: errors.length > errorsOf(before).length }).toEqual({ said, more: false });
}

/** What is left to its author, although there is a fix in other cases. */
const examples = Object.entries(EXAMPLES).flatMap(([code, { text }]) =>
  /^NT(7|4010)/.test(code) ? [] : [{ code, text: unmark(text).text }],
);

describe('the fix of a diagnostic', () => {
  test.each(examples)('adds no error to the example of $code, and removes what it mends', ({ text }) => {
    for (const each of look(text)) {
      if (each.fix === undefined) continue;
      expectNoNewError(text, each.fix);
      const same = (all: readonly Diagnostic[]): number =>
        all.filter(({ code, message }) => code === each.code && message === each.message).length;
      // Some take two passes.
      expect(same(look(mended(applyEdits(text, each.fix.edits), {}, 'all').text))).toBeLessThan(
        same(look(text)),
      );
    }
  });

  test('is there for every deprecation with one right answer', () => {
    const without = examples.filter(({ code, text }) =>
      look(text).every((each) => each.code !== code || each.fix === undefined),
    );
    const codes = without.map(({ code }) => code).filter((code) => code.startsWith('NT5'));
    // A module of the name may be installed.
    expect(codes).toEqual(['NT5013']);
  });

  test.each([
    ['a key', '{ kind: http, ulr: "https://x" }', '{ kind: http, url: "https://x" }'],
    ['a kind', '{ kind: pyton, code: "result = 1" }', '{ kind: python, code: "result = 1" }'],
    [
      'a filter',
      '{ kind: noop, input: { a: "{{ \'x\' | uper }}" } }',
      '{ kind: noop, input: { a: "{{ \'x\' | upper }}" } }',
    ],
    [
      'a key below a root',
      '{ kind: noop, input: { a: "{{ workload.cuont }}" } }',
      '{ kind: noop, input: { a: "{{ workload.count }}" } }',
    ],
  ])('corrects %s of which one is near', (_, tool, corrected) => {
    const written = (text: string): string =>
      `${HEAD}workload: { count: 1 }\nworkflow:\n  - step: start # first\n    tool: ${text} # it\n`;
    expect(mended(written(tool)).text).toBe(written(corrected));
  });

  test.each([
    [
      '{ kind: agent, model: m, prompt: p, auth: k }',
      '{ kind: agent, framework: claude, model: m, prompt: p, auth: k }',
    ],
    [
      '\n      kind: agent # who?\n      entrypoint: a/b',
      '\n      kind: agent # who?\n      framework: noetl\n      entrypoint: a/b',
    ],
    ['{ kind: agent, model: m }', '{ kind: agent, model: m }'],
  ])('says which agent has the fields of %s', (tool, corrected) => {
    const written = (text: string): string => `${HEAD}workflow:\n  - step: start\n    tool: ${text} # it\n`;
    expect(mended(written(tool)).text).toBe(written(corrected));
  });

  test('leaves a name to which two are equally near', () => {
    const text = `${HEAD}workflow:
  - step: start
    next: { arcs: [{ step: coda }] }
  - step: cods
    next: { arcs: [{ step: end }] }
  - step: code
    next: { arcs: [{ step: end }] }
  - step: end
`;
    expect(mended(text).text).toBe(text);
  });

  test.each([
    ['no braces', 'outcome.status == "error"', `'{{ outcome.status == "error" }}'`],
    ['several templates', '"{{ ctx.a }} and {{ ctx.b }}"', '"{{ (ctx.a) and (ctx.b) }}"'],
  ])('writes a condition with %s as one template', (_, when, template) => {
    const written = (condition: string): string => `${HEAD}workflow:
  - step: start
    tool:
      kind: noop
      set: { ctx.a: 1, ctx.b: 2 }
      spec:
        policy:
          rules:
            - when: ${condition} # asked
              then: { do: break }
`;
    expect(mended(written(when)).text).toBe(written(template));
  });

  test('quotes a template that YAML would read as a mapping', () => {
    const written = (value: string): string =>
      `${HEAD}workload: { count: 1 }\nworkflow:\n  - step: start\n    tool:\n      kind: noop\n      input:\n        a: ${value}\n`;
    expect(mended(written('{{ workload.count }}')).text).toBe(written('"{{ workload.count }}"'));
    expect(mended(written("{{ workload['count'] }} items")).text).toBe(
      written(`"{{ workload['count'] }} items"`),
    );
  });
});

/** One word is written with a letter too many, too few, or two in another order. */
const misspelt = fc
  .tuple(casePlaybook, fc.nat(), fc.nat(), fc.constantFrom('drop', 'double', 'swap'))
  .map(([text, at, letter, how]) => {
    const words = [...text.matchAll(/[a-z_]{4,}/g)];
    const { index, 0: word } = words[at % words.length]!;
    const i = letter % (word.length - 1);
    const [one, two] = [word[i]!, word[i + 1]!];
    const wrong = { drop: two, double: one + one + two, swap: two + one }[how]!;
    return text.slice(0, index + i) + wrong + text.slice(index + i + 2);
  });

test('no fix of a misspelt playbook adds an error, those of one pass do not overlap, and ten passes end', () => {
  fc.assert(
    fc.property(misspelt, (text) => {
      const fixes = fixesOf(text);
      for (const fix of fixes) expectNoNewError(text, fix);
      const edits = compatible(text, fixes).flatMap((fix) => fix.edits);
      const sorted = [...edits].sort((a, b) => a.start - b.start);
      for (const [i, { start }] of sorted.entries())
        if (i > 0) expect(start).toBeGreaterThanOrEqual(sorted[i - 1]!.end);
      const { text: after } = mended(text);
      expect(mended(after)).toMatchObject({ text: after, fixes: 0 });
      expect(errorsOf(after).length).toBeLessThanOrEqual(errorsOf(text).length);
    }),
    cases(60),
  );
});

test('a loop over a name that nothing defines goes over nothing', () => {
  const written = (list: string): string => `${HEAD}workflow:
  - step: start
    loop: { in: "{{ ${list} }}", iterator: item }
    tool: { kind: noop }
`;
  for (const name of ['workload.rows', 'rows']) {
    const [fix] = fixesOf(written(name));
    expect(applyEdits(written(name), fix!.edits)).toBe(written(`${name} | default([])`));
  }
  expect(fixesOf(written('workload.rows + [1]'))).toEqual([]);
});

test('without being asked, the compiler makes no fixes', () => {
  const { diagnostics, older } = compile(`${HEAD}workflow: [{ step: start, args: { a: 1 }, next: end }]`);
  expect(older).toBeUndefined();
  expect(diagnostics.map(({ code, fix }) => [code, fix])).toContainEqual(['NT5008', undefined]);
  expect(Object.keys(CODES)).toContain('NT5008');
});
