import fc from 'fast-check';
import { casePlaybook } from '../../../../test/support/random-case-playbooks';
import { compile } from '../compile';
import { formatDiagnostics } from '../diagnostics/format';
import { upgrade } from './upgrade';

/** Those that do not compile are not meant here. */
const valid = casePlaybook.filter((text) => compile(text).plan !== undefined);

test('most of the playbooks that are made here compile', () => {
  const all = fc.sample(casePlaybook, { numRuns: 60, seed: 3 });
  expect(all.filter((text) => compile(text).plan !== undefined).length).toBeGreaterThan(40);
});

test('an upgraded playbook compiles, and upgrading it again changes nothing', () => {
  fc.assert(
    fc.property(valid, (text) => {
      const { text: after } = upgrade(text);
      const errors = compile(after).diagnostics.filter(({ severity }) => severity === 'error');
      expect(formatDiagnostics(errors, after)).toBe('');
      expect(upgrade(after).text).toBe(after);
    }),
    { numRuns: 30, seed: 9 },
  );
});
