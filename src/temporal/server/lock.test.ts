import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { lockForDev } from './dev-lock';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-dev-lock-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));
const file = (): string => path.join(folder, 'dev.lock');

test('a second dev is refused and told which process has the folder, until that gives it back', () => {
  const unlock = lockForDev(folder);
  expect(() => lockForDev(folder)).toThrow(`: process ${process.pid}`);
  unlock();
  lockForDev(folder)();
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('a lock of a process that is gone is taken over', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  fs.writeFileSync(file(), JSON.stringify({ pid }));
  lockForDev(folder)();
});

test('a process that only has the number of the one that is gone does not count', () => {
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    fs.writeFileSync(file(), JSON.stringify({ pid: stranger.pid, started: 'another time' }));
    lockForDev(folder)();
  } finally {
    stranger.kill('SIGKILL');
  }
});
