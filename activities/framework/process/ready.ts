/** What a worker does once, before tasks that are processes come. */
import { execFile } from 'node:child_process';
import { OUTSIDE, programOf } from '../sandbox';
import { endLeft } from './marks';

/** Ends what tasks of killed workers left on this machine, and has this process write no core dumps. */
export async function readyForProcesses(): Promise<void> {
  await Promise.all([endLeft(), withoutCores()]);
}

/**
 * A dump of a worker is a file with the data of its tasks. Node cannot set limits: prlimit of util-linux does, where there
 * is one. What this process starts inherits the limit.
 */
async function withoutCores(): Promise<void> {
  await new Promise<void>((resolve) => {
    try {
      const limit = ['--pid', String(process.pid), '--core=0:0'];
      execFile(programOf('prlimit'), limit, { env: OUTSIDE, timeout: 10_000 }, () => resolve());
    } catch {
      resolve(); // not Linux, or not installed
    }
  });
}
