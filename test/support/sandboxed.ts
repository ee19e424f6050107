/** Tests of sandboxes, by level. */
import fs from 'node:fs';
import path from 'node:path';
import { type Level, whyNot } from '../../activities/framework/sandbox';
import { type Absent, present } from './present';

export const LEVELS: readonly Level[] = ['none', 'standard', 'strict'];

/** Ends the test, or all tests behind a hook, as skipped where this machine cannot enforce the level. */
export async function enforced(level: Level): Promise<void> {
  const why = level === 'none' ? undefined : await whyNot(level);
  present<object | Absent>(why === undefined ? {} : { skipped: `no sandbox: ${why}`, extra: true });
}

/** Does the work on a machine on which these programs are not installed. */
export async function without<T>(programs: readonly string[], work: () => Promise<T>): Promise<T> {
  const { accessSync } = fs;
  const absent = jest.spyOn(fs, 'accessSync').mockImplementation((file, mode) => {
    if (programs.includes(path.basename(String(file)))) throw new Error('absent');
    accessSync(file, mode);
  });
  try {
    return await work();
  } finally {
    absent.mockRestore();
  }
}
