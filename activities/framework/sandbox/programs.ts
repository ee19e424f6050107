/**
 * The programs that walls are built with, and what they run with. They work outside of the wall, so neither what they are
 * nor their environment may come from a task.
 */
import fs from 'node:fs';
import path from 'node:path';

const SYSTEM = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'];

/** The whole environment of a program outside of the wall. */
export const OUTSIDE: Readonly<Record<string, string>> = { PATH: SYSTEM.join(':'), LC_ALL: 'C' };

/** The shell, where every system has one. */
export const SHELL = '/bin/sh';

const paths = new Map<string, string>();

/**
 * The absolute path of a program: from the folders of the system, otherwise from those of the worker's PATH that only
 * root or the worker's user can write to. Found once.
 *
 * @throws Error with code ENOENT
 */
export function programOf(name: string, env: NodeJS.ProcessEnv = process.env): string {
  const own = (env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((one) => path.isAbsolute(one) && isPrivate(one));
  const file =
    paths.get(name) ?? [...SYSTEM, ...own].map((folder) => path.join(folder, name)).find(isProgram);
  if (file === undefined) throw Object.assign(new Error(`${name} is not installed`), { code: 'ENOENT' });
  paths.set(name, file);
  return file;
}

function isPrivate(folder: string): boolean {
  try {
    const { uid, mode } = fs.statSync(folder);
    return [0, process.getuid?.()].includes(uid) && (mode & 0o022) === 0;
  } catch {
    return false; // not there, or below a folder of another user
  }
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
