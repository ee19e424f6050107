import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isAlive, withStartLock } from './start-lock';

let file: string;
beforeEach(() => (file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-lock-')), 'lock')));
afterEach(() => fs.rmSync(path.dirname(file), { recursive: true, force: true }));

test('one holds it at a time, and gives it back also when the work fails', async () => {
  let inner: unknown = 'unset';
  await withStartLock(file, async () => (inner = await withStartLock(file, () => Promise.resolve('twice'))));
  expect(inner).toBeUndefined();
  await expect(withStartLock(file, () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
  expect(await withStartLock(file, () => Promise.resolve('again'))).toBe('again');
});

test('a lock of a process that is gone, or far too old, is taken over', async () => {
  const { pid } = spawnSync('true');
  fs.writeFileSync(file, String(pid));
  expect(await withStartLock(file, () => Promise.resolve(1))).toBeUndefined(); // this look removes it
  expect(await withStartLock(file, () => Promise.resolve(1))).toBe(1);
  fs.writeFileSync(file, String(process.pid));
  fs.utimesSync(file, 1, 1);
  await withStartLock(file, () => Promise.resolve(1));
  expect(await withStartLock(file, () => Promise.resolve(1))).toBe(1);
});

test('a process that ended is not alive', () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(spawnSync('true').pid)).toBe(false);
  expect(isAlive(0)).toBe(false);
  expect(isAlive(NaN)).toBe(false);
});
