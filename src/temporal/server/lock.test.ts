import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isAlive, lockHolder, noteInLock, takeLock } from './lock';

let file: string;
beforeEach(() => (file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-lock-')), 'lock')));
afterEach(() => fs.rmSync(path.dirname(file), { recursive: true, force: true }));

test('one holds it at a time, others see who, until it is given back', () => {
  const release = takeLock(file)!;
  expect(takeLock(file)).toBeUndefined();
  expect(lockHolder(file)).toMatchObject({ pid: process.pid });
  noteInLock(file, 'http://x');
  expect(lockHolder(file)).toMatchObject({ pid: process.pid, note: 'http://x' });
  release();
  expect(lockHolder(file)).toBeUndefined();
  takeLock(file)!();
  expect(fs.readdirSync(path.dirname(file))).toEqual([]);
});

test('a lock of a process that is gone is taken over', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  fs.writeFileSync(file, JSON.stringify({ pid }));
  expect(lockHolder(file)).toBeUndefined();
  takeLock(file)!();
});

test('a file that is no lock is taken over', () => {
  fs.writeFileSync(file, '');
  takeLock(file)!();
});

test('a process that only has the number of the one that is gone does not count', () => {
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    fs.writeFileSync(file, JSON.stringify({ pid: stranger.pid, started: 'another time' }));
    takeLock(file)!();
  } finally {
    stranger.kill('SIGKILL');
  }
});

test('a lock of another living process is not taken, and not released by us', () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    const release = takeLock(file)!;
    const { started: _, ...own } = JSON.parse(fs.readFileSync(file, 'utf8')) as { started?: string };
    const stat = fs.existsSync(`/proc/${other.pid}/stat`)
      ? fs.readFileSync(`/proc/${other.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19]
      : undefined;
    fs.writeFileSync(file, JSON.stringify({ ...own, pid: other.pid, started: stat }));
    release();
    noteInLock(file, 'ours');
    expect(takeLock(file)).toBeUndefined();
    expect(lockHolder(file)).toEqual({ pid: other.pid, started: stat });
  } finally {
    other.kill('SIGKILL');
  }
});

test('a process that ended is not alive', () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(spawnSync('true').pid)).toBe(false);
  expect(isAlive(0)).toBe(false);
  expect(isAlive(NaN)).toBe(false);
});
