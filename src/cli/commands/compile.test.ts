import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compile } from '../../language/dsl';
import { compileCommand } from './compile';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'compile-'));
const file = path.join(folder, 'old.yaml');
fs.writeFileSync(
  file,
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\nworkflow:\n  - step: start\n    tool: { kind: noop, args: { a: 1 } }\n',
);
afterAll(() => fs.rmSync(folder, { recursive: true }));

async function run(...args: string[]): Promise<string> {
  let out = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text, done?: unknown) => {
    out += String(text);
    (done as (() => void) | undefined)?.();
    return true;
  });
  try {
    await compileCommand().parseAsync([file, ...args], { from: 'user' });
    return out;
  } finally {
    write.mockRestore();
  }
}

test('prints the plan as JSON', async () => {
  expect(JSON.parse(await run())).toMatchObject({ metadata: { name: 't' }, start: 'start' });
});

test('--format yaml prints a playbook in the current spelling, which compiles', async () => {
  const text = await run('--format', 'yaml');
  expect(text).toMatch(/kind: noop\n\s+input:\n\s+a: 1\n/);
  expect(compile(text).diagnostics).toEqual([]);
});

test('another format is a wrong use', async () => {
  await expect(run('--format', 'xml')).rejects.toThrow('--format xml: expected json or yaml');
});
