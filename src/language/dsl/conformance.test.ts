import {
  GENERATIONS,
  isBroken,
  realPlaybooks,
  testWithRealPlaybooks,
} from '../../../test/support/real-playbooks';
import { compile } from './compile';
import { formatDiagnostics } from './diagnostics/format';

testWithRealPlaybooks();

for (const generation of GENERATIONS) {
  const all = realPlaybooks(generation);
  const broken = all.filter(({ name }) => isBroken(name));

  if (all.length === 0) continue;
  describe(`real playbooks of the generation ${generation}`, () => {
    const good = all.filter((each) => !broken.includes(each));
    test.each(good)('$name compiles', ({ name, text }) => {
      const { plan, diagnostics } = compile(text, { file: name });
      const errors = diagnostics.filter((each) => each.severity === 'error');
      expect(formatDiagnostics(errors, text)).toBe('');
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    });
  });

  if (broken.length === 0) continue;
  describe(`broken playbooks of the generation ${generation}`, () => {
    test.each(broken)('$name is refused, with the line and what is missing', ({ name, text }) => {
      const { plan, diagnostics } = compile(text, { file: name });
      expect(plan).toBeUndefined();
      expect(diagnostics.find((each) => each.severity === 'error')).toMatchObject({
        code: 'NT2051',
        line: 27,
        hint: expect.stringContaining('`command`') as string,
      });
    });
  });
}

describe('the examples of this repository', () => {
  test.each(realPlaybooks('examples'))('$name compiles without a warning', ({ text }) => {
    expect(formatDiagnostics(compile(text).diagnostics, text)).toBe('');
  });
});
