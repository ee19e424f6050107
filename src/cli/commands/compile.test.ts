import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compileCommand } from './compile';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'compile-'));
const file = path.join(folder, 'old.yaml');
fs.writeFileSync(
  file,
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\nworkflow:\n  - step: start\n    tool: { kind: noop, args: { a: 1 } }\n',
);
afterAll(() => fs.rmSync(folder, { recursive: true }));

async function run(): Promise<string> {
  let out = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text, done?: unknown) => {
    out += String(text);
    (done as (() => void) | undefined)?.();
    return true;
  });
  try {
    await compileCommand().parseAsync([file], { from: 'user' });
    return out;
  } finally {
    write.mockRestore();
  }
}

test('prints the plan as JSON', async () => {
  expect(JSON.parse(await run())).toMatchObject({ metadata: { name: 't' }, start: 'start' });
});
