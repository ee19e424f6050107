import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CODES, compile, type CompileOptions, type Diagnostic } from '../../../src/language/dsl';
import { EXAMPLES } from '../../../test/support/diagnostics/examples';
import { unmark } from '../../../test/support/diagnostics/example';
import { pythonSyntax } from './syntax';

const HEAD =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: syntax}\nworkload: {n: 1}\nworkflow:\n';

/** A step with Python code as a block; its code begins in line 10. */
const block = (code: string, style = '|'): string =>
  `${HEAD}- step: start\n  tool:\n    kind: python\n    code: ${style}\n${code.replace(/^(?=.)/gm, '      ')}\n`;

async function told(text: string, options?: CompileOptions): Promise<Diagnostic[]> {
  return pythonSyntax(compile(text, options).code ?? [], { limitMs: 30_000 });
}

const places = async (text: string): Promise<string[]> => {
  const lines = text.split('\n');
  return (await told(text)).map(
    ({ line, column, endColumn }) => `${line}: ${lines[line - 1]!.slice(column - 1, endColumn - 1)}`,
  );
};

test('the example of NT4010 is told where it is wrong', async () => {
  const { text, offset } = unmark(EXAMPLES.NT4010.text);
  const found = await told(text);
  const before = text.slice(0, offset).split('\n');
  expect(found).toEqual([
    expect.objectContaining({
      code: 'NT4010',
      severity: CODES.NT4010.severity,
      line: before.length,
      column: before.at(-1)!.length + 1,
      message: expect.stringMatching(/^Python cannot read this code: \w.*[^.]$/) as string,
    }),
  ]);
});

test.each([
  ['result = (1 +', '|', 10],
  ['a = 1\nif a:\nresult = 2', '|', 12],
  ['def main(x):\n    return x +\n', '|', 11],
  ['\n\na = 1\nb = = 2', '|', 13],
  ['print "hello"', '|-', 10],
])('%j in a block of style %s: line %d of the playbook', async (code, style, line) => {
  expect((await told(block(code, style))).map((each) => each.line)).toEqual([line]);
});

test('the place is that of the character, whatever the YAML around it', async () => {
  expect(await places(block('a = 1\nb = "😀" 2c'))).toEqual([expect.stringMatching(/^11: ./)]);
  expect(await places(`${HEAD}- step: start\n  tool: {kind: python, code: "a = 1\\nb = = 2"}\n`)).toEqual([
    '7: =',
  ]);
  // The first line is indented, and so is what follows.
  const indented = `${HEAD}- step: start\n  tool:\n    kind: python\n    code: |2\n        a = 1\n        b = = 2\n`;
  expect(await places(indented)).toEqual(['11: =']);
});

test.each([
  'result = 1',
  'def main(n):\n    return n',
  'return 1',
  'import asyncio\nawait asyncio.sleep(0)\nresult = 2',
  '  a = 1\n  result = a',
  'result = f"{{braces}}"',
  'match = {"a": 1}',
])('what runs is told nothing of: %j', async (code) => {
  expect(await told(block(code))).toEqual([]);
});

test('what is a template when it runs is not looked at', async () => {
  expect(await told(block('result = {{ workload.n }} = = 1'))).toEqual([]);
});

test('an error under --strict', async () => {
  expect(await told(block('b = = 2'), { strict: true })).toMatchObject([{ severity: 'error' }]);
});

test('every block is looked at, and one that is called by many once', async () => {
  const text = `${HEAD.replace('workflow', 'workbook:\n- name: bad\n  tool: {kind: python, code: b = = 2}\nworkflow')}- step: start
  tool:
    - {name: a, kind: workbook, task: bad}
    - {name: b, kind: workbook, task: bad}
    - {name: c, kind: python, code: result = = 3}
`;
  expect(await places(text)).toEqual(['7: =', '13: =']);
});

test('without Python, or with one that does not answer, nothing is said', async () => {
  const blocks = compile(block('b = = 2')).code!;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-python-'));
  const asleep = path.join(folder, 'asleep');
  fs.writeFileSync(asleep, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const silent = path.join(folder, 'silent');
  fs.writeFileSync(silent, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  for (const command of ['/nonexistent/python', silent, asleep]) {
    const started = performance.now();
    const env = { ...process.env, NOETL_PYTHON: command };
    expect(await pythonSyntax(blocks, { env, limitMs: 500 })).toEqual([]);
    expect(performance.now() - started).toBeLessThan(10_000);
  }
  fs.rmSync(folder, { recursive: true });
});
