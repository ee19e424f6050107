/** A disk that is soon full: a tmpfs of a few MiB, where this process may mount one (root, of Linux). */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Missing } from './present';

/** Runs `work` with the folder of an empty disk. @throws Missing without the right to mount one */
export async function onSmallDisk(mebibytes: number, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw new Missing({
      skipped: `nothing can be mounted here (${String(error).split('\n')[0]})`,
      extra: true,
    });
  }
  try {
    await work(folder);
  } finally {
    // Lazily: a tool that failed may still have a file open for a moment.
    execFileSync('umount', ['-l', folder]);
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
