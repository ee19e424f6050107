import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { diedBefore, noteProcess } from './last-process';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-note-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test('a process that left its note is told of; one that lives, or that stopped, is not', () => {
  const file = path.join(folder, 'dev.process.json');
  expect(noteProcess('dev', folder)).toEqual([]);
  expect(diedBefore('dev', folder)).toEqual([]);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  fs.writeFileSync(file, JSON.stringify({ pid, started: '2026-11-25T08:00:00Z' }));
  const sentence = `the dev before (process ${pid}, started 2026-11-25T08:00:00Z) ended without stopping`;
  expect(diedBefore('dev', folder)).toEqual([expect.stringContaining(sentence)]);
  expect(noteProcess('dev', folder)).toEqual([expect.stringContaining(sentence)]);
  // From here on the note is of this process.
  expect(diedBefore('dev', folder)).toEqual([]);
  fs.writeFileSync(file, JSON.stringify({ pid: process.ppid, started: '' }));
  expect(diedBefore('dev', folder)).toEqual([]);
  fs.writeFileSync(file, '{');
  expect(diedBefore('dev', folder)).toEqual([]);
  expect(noteProcess('worker', '/proc/no/such/folder')).toEqual([]);
});
