import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

type Env = Record<string, string | undefined>;

/**
 * The folder of downloaded binaries: NOETL_CACHE_DIR, else XDG_CACHE_HOME/noetl-temporal, else
 * ~/.cache/noetl-temporal.
 */
export function cacheDir(env: Env = process.env): string {
  if (env.NOETL_CACHE_DIR) return path.resolve(env.NOETL_CACHE_DIR);
  const base = env.XDG_CACHE_HOME && path.isAbsolute(env.XDG_CACHE_HOME) ? env.XDG_CACHE_HOME : undefined;
  return path.join(base ?? path.join(os.homedir(), '.cache'), 'noetl-temporal');
}

/** Whether this process may execute the file. */
export function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Moves a finished file into the cache under its final name atomically, so that another process sees either nothing
 * or the whole file, and concurrent downloads do not interfere: the last rename wins, with equal content.
 */
export function publish(file: string, target: string): string {
  fs.mkdirSync(path.dirname(target), { recursive: true });
  const staged = `${target}.${process.pid}-${randomBytes(4).toString('hex')}`;
  fs.copyFileSync(file, staged);
  fs.chmodSync(staged, 0o755);
  fs.renameSync(staged, target);
  return target;
}

/** Runs `work` in a new folder inside the cache, which is always removed afterwards. */
export async function withScratch<T>(cache: string, work: (folder: string) => Promise<T>): Promise<T> {
  fs.mkdirSync(cache, { recursive: true });
  const folder = fs.mkdtempSync(path.join(cache, 'download-'));
  try {
    return await work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
