import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { announceConsole, devConsole, devProcess, lockForDev } from './dev-lock';

let folder: string;
beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-dev-lock-'))));
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

test('a second dev is refused and told which process has the folder, until that gives it back', () => {
  const unlock = lockForDev(folder);
  expect(() => lockForDev(folder)).toThrow(`: process ${process.pid}`);
  announceConsole(folder, 'http://127.0.0.1:1');
  expect([devProcess(folder), devConsole(folder)]).toEqual([process.pid, 'http://127.0.0.1:1']);
  unlock();
  expect([devProcess(folder), devConsole(folder)]).toEqual([undefined, undefined]);
  lockForDev(folder)();
  expect(fs.readdirSync(folder)).toEqual([]);
});
