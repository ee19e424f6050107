import { type KnownPlaybooks } from '../check/catalog';
import { LineIndex } from '../yaml/lines';
import { compile } from '../compile';
import { type DiagnosticCode, CODES } from './codes';
import { EXAMPLES } from '../../../../test/support/diagnostics/examples';
import { unmark } from '../../../../test/support/diagnostics/example';

/** Those of rehearsals are tried in src/offline/rehearsal, that of Python's syntax with Python in activities/kinds/python. */
const OF_PLAYBOOKS = (Object.keys(CODES) as DiagnosticCode[]).filter((code) => !/^NT(7|4010)/.test(code));

/** A catalog of one playbook, so that sub-playbooks are looked for. */
const CATALOG: KnownPlaybooks = {
  has: (path) => path === 'examples/price',
  paths: () => ['examples/price'],
  inputsOf: () => ({ schemas: { count: { type: 'integer' }, token: { secret: true } }, defaulted: [] }),
};

describe('every diagnostic code', () => {
  test.each(OF_PLAYBOOKS)('%s is reported where its example is wrong', (code) => {
    const { text, offset } = unmark(EXAMPLES[code].text);
    const place = new LineIndex(text).position(offset);
    const { plan, diagnostics } = compile(text, { catalog: CATALOG });
    const found = diagnostics.filter((each) => each.code === code);
    expect(found.map((each) => [each.line, each.column])).toContainEqual([...place]);
    expect(found[0]!.severity).toBe(CODES[code].severity);
    expect(plan === undefined).toBe(diagnostics.some((each) => each.severity === 'error'));
    if (CODES[code].severity === 'error') expect(plan).toBeUndefined();
  });

  test.each(OF_PLAYBOOKS)('%s is the only error of its example', (code) => {
    const { text } = unmark(EXAMPLES[code].text);
    const errors = compile(text).diagnostics.filter(
      (each) => each.severity === 'error' && each.code !== code,
    );
    const alone = !['NT1007', 'NT1008', 'NT2080'].includes(code);
    expect(alone ? errors : []).toEqual([]);
  });

  test('a hint names one way out, not a lecture', () => {
    for (const { text } of Object.values(EXAMPLES)) {
      for (const each of compile(unmark(text).text).diagnostics) {
        expect(each.message).not.toMatch(/[.!]$/);
        expect((each.hint ?? '').length).toBeLessThan(260);
      }
    }
  });
});
