import fc from 'fast-check';
import { cases } from '../../../../test/support/properties';
import { compile } from '../compile';
import { formatDiagnostics } from './format';
import { editDistance } from '../../template/suggest';
import { closest } from './suggest';

const BROKEN = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: broken}
workload: {api_url: https://example.com}
workflow:
  - step: start
    tool:
      kind: http
      ulr: "{{ api_ulr }}"
    next:
      arcs:
        - stp: fetsch
  - step: fetch
    tool: {kind: noop}
`;

test('every problem is told once, with its line, a caret and a way out', () => {
  const { plan, diagnostics } = compile(BROKEN, { file: 'broken.yaml' });
  expect(plan).toBeUndefined();
  expect(formatDiagnostics(diagnostics, BROKEN))
    .toBe(`broken.yaml:9:7: error NT2001: \`ulr\` is not a field of \`http\`
   9 |       ulr: "{{ api_ulr }}"
     |       ^^^
     = did you mean \`url\`?

broken.yaml:9:16: error NT3011: nothing is called \`api_ulr\`
   9 |       ulr: "{{ api_ulr }}"
     |                ^^^^^^^
     = did you mean \`api_url\`?

broken.yaml:12:11: error NT2001: \`stp\` is not a key of an arc
  12 |         - stp: fetsch
     |           ^^^
     = did you mean \`step\`?

broken.yaml:12:16: error NT3003: no step is called \`fetsch\`
  12 |         - stp: fetsch
     |                ^^^^^^
     = did you mean \`fetch\`?

4 errors`);
});

test('colours are only asked for', () => {
  const { diagnostics } = compile(BROKEN);
  expect(formatDiagnostics(diagnostics, BROKEN)).not.toContain('\x1b');
  expect(formatDiagnostics(diagnostics, BROKEN, { color: true })).toContain('\x1b[31merror NT2001\x1b[0m');
});

test('a long line is cut around the spot', () => {
  const text = BROKEN.replace('{{ api_ulr }}', `${'x'.repeat(300)}{{ api_ulr }}${'y'.repeat(300)}`);
  const found = compile(text).diagnostics.filter((each) => each.code === 'NT3011');
  const [, shown, caret] = formatDiagnostics(found, text).split('\n');
  expect(shown!.length).toBeLessThan(125);
  expect(shown!.slice(caret!.indexOf('^'), caret!.lastIndexOf('^') + 1)).toBe('api_ulr');
});

test('strict makes a deprecation an error', () => {
  const text =
    'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: a}\nworkflow: [{step: start, tool: {kind: noop}, next: end}]\n';
  expect(compile(text).diagnostics).toMatchObject([{ code: 'NT5008', severity: 'warning' }]);
  expect(compile(text).plan).toBeDefined();
  expect(compile(text, { strict: true }).diagnostics).toMatchObject([{ code: 'NT5008', severity: 'error' }]);
  expect(compile(text, { strict: true }).plan).toBeUndefined();
});

const folded = (name: string): string => name.toLowerCase().replaceAll('_', '');

describe('what a misspelt name was meant to be', () => {
  test.each([
    ['fetc', ['fetch', 'store'], 'fetch'],
    ['maxInFlight', ['max_in_flight'], 'max_in_flight'],
    ['retyr', ['retry'], 'retry'],
    ['page1', ['page2'], undefined],
    ['id', ['in'], undefined],
    ['anything', ['something'], undefined],
  ])('%s', (name, candidates, meant) => {
    expect(closest(name, candidates)).toBe(meant);
  });

  test('no name that is close enough is passed over', () => {
    const name = fc.string({ unit: fc.constantFrom(...'abcXY_'), minLength: 3, maxLength: 7 });
    fc.assert(
      fc.property(name, name, (one, other) => {
        const allowed = one.length <= 5 ? 1 : 2;
        const close = editDistance(one.toLowerCase(), other.toLowerCase(), allowed) <= allowed;
        expect(closest(one, [other]) !== undefined || one === other).toBe(
          close || folded(one) === folded(other),
        );
      }),
      cases(2000),
    );
  });

  test('a swap of neighbours is one edit', () => {
    expect(editDistance('ulr', 'url', 3)).toBe(1);
    expect(editDistance('kitten', 'sitting', 9)).toBe(3);
    expect(editDistance('kitten', 'sitting', 1)).toBe(2);
  });
});
