import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { upgradeCommand } from './upgrade';

const OLD = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t, path: t }
workflow:
  - step: start
    tool: { kind: noop, args: { a: 1 } }
    sink: { tool: { kind: noop } }
`;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'upgrade-'));
const file = path.join(folder, 'old.yaml');
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Runs the command; what it wrote to standard output and standard error. */
async function run(...args: string[]): Promise<{ out: string; err: string }> {
  const written = { out: '', err: '' };
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((text, done?: unknown) => {
      written.out += String(text);
      (done as (() => void) | undefined)?.();
      return true;
    }),
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written.err += String(text);
      return true;
    }),
  ];
  try {
    await upgradeCommand().parseAsync(args, { from: 'user' });
    return written;
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

beforeEach(() => fs.writeFileSync(file, OLD));

test('prints a diff, says what is left, and changes nothing', async () => {
  const { out, err } = await run(file);
  expect(out).toContain(`--- ${file}\n+++ ${file}\n@@ -3,5 +3,5 @@`);
  expect(out).toContain(
    '-    tool: { kind: noop, args: { a: 1 } }\n+    tool: { kind: noop, input: { a: 1 } }\n',
  );
  expect(err).toContain(`${file}: 1 change; --write writes it\n`);
  expect(err).toContain(`${file}:7:5: \`sink\` is not rewritten mechanically: add a task`);
  expect(fs.readFileSync(file, 'utf8')).toBe(OLD);
});

test('--write changes the file, and the next time there is nothing to do', async () => {
  expect(await run(file, '--write')).toMatchObject({ out: '' });
  expect(fs.readFileSync(file, 'utf8')).toBe(OLD.replace('args', 'input'));
  const { out, err } = await run(file);
  expect(out).toBe('');
  expect(err).toContain('nothing to rewrite');
});

test('a file that is no YAML is a wrong use, with the place', async () => {
  fs.writeFileSync(file, 'a: [');
  await expect(run(file)).rejects.toThrow(/old\.yaml:1:\d+: .*NT1001/);
});
