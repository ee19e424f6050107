import { type DiagnosticCode, compile } from '../../language/dsl';
import { CODES } from '../../language/dsl/diagnostics/codes';
import { EXAMPLES } from '../../../test/support/diagnostics/examples';
import { unmark } from '../../../test/support/diagnostics/example';
import { REHEARSED } from '../../../test/support/diagnostics/rehearsal';
import { LineIndex } from '../../language/dsl/format';
import { type RehearsedPlaybook, readRehearsals } from './format/read';

function load(file: string): RehearsedPlaybook {
  if (file !== './x.yaml') return { file, problem: 'is not there' };
  return { file, plan: compile(REHEARSED).plan! };
}

const codes = (Object.keys(CODES) as DiagnosticCode[]).filter((code) => code.startsWith('NT7'));

test('a misspelt key is told once', () => {
  const text = 'playbook: ./x.yaml\nnme: a\nevnts: []\nrehearsals: [{ name: b, expct: {} }]\n';
  const { diagnostics } = readRehearsals(text, { file: 'a.rehearsal.yaml', load });
  expect(diagnostics.map(({ message }) => message.slice(0, 9))).toEqual([
    '`nme` is ',
    '`evnts` i',
    '`expct` i',
  ]);
});

test.each(codes)('%s is reported where its example is wrong, and nothing else is', (code) => {
  const { text, offset } = unmark(EXAMPLES[code].text);
  const [line, column] = new LineIndex(text).position(offset);
  const { rehearsed, diagnostics } = readRehearsals(text, { file: 'a.rehearsal.yaml', load });
  expect(rehearsed).toBeUndefined();
  expect(diagnostics.map((each) => [each.code, each.line, each.column])).toEqual([[code, line, column]]);
  for (const { message, hint } of diagnostics) {
    expect(message).not.toMatch(/[.!]$/);
    expect((hint ?? '').length).toBeLessThan(260);
  }
});
