import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readText } from './playbook';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-text-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function read(bytes: Buffer): string {
  const file = path.join(folder, 'x.yaml');
  fs.writeFileSync(file, bytes);
  return readText(file);
}

test('a file that is not UTF-8 is refused at its first byte', () => {
  const latin = Buffer.concat([Buffer.from('a: ü\nb: \uFFFD caf'), Buffer.from([0xe9, 0x0a])]);
  expect(() => read(latin)).toThrow(/x\.yaml: the file is not UTF-8, byte E9 at 2:9: save it as UTF-8/);
  expect(() => read(Buffer.from('\uFEFFa: 1', 'utf16le'))).toThrow(/UTF-16/);
  expect(() => read(Buffer.from('a: 1', 'utf16le'))).toThrow(/UTF-16/);
  expect(read(Buffer.from('a: ü \uFFFD'))).toBe('a: ü \uFFFD');
});
