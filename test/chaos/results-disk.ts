/** The disk of the result store: a small one of its own where this process may mount it, and it can be full. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface ResultsDisk {
  readonly folder: string;
  /** Undefined where nothing can be mounted: then it cannot be full. */
  readonly fill?: () => void;
  readonly free: () => void;
  readonly remove: () => void;
}

const BLOCK = Buffer.alloc(1024 * 1024);

/** @param mebibytes by default so few that a fault fills it quickly */
export function resultsDisk(below: string, mebibytes = 192): ResultsDisk {
  const folder = path.join(below, 'results');
  fs.mkdirSync(folder);
  const filler = path.join(folder, 'full');
  const free = (): void => fs.rmSync(filler, { force: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    return { folder, free, remove: () => undefined };
  }
  return { folder, free, fill: () => fillUp(filler), remove: () => execFileSync('umount', ['-l', folder]) };
}

function fillUp(file: string): void {
  const open = fs.openSync(file, 'a');
  try {
    for (;;) fs.writeSync(open, BLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    fs.closeSync(open);
  }
}
