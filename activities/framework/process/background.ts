/** What users' programs compute comes after what keeps executions going: the worker, and servers on the same machine. */
import fs from 'node:fs';
import os from 'node:os';

const { PRIORITY_BELOW_NORMAL } = os.constants.priority;

/** For a process with a session of its own (`detached`), and all that it starts. No failure: it is a wish. */
export function runInBackground(pid: number | undefined): void {
  if (pid === undefined) return; // it could not be started
  try {
    os.setPriority(pid, PRIORITY_BELOW_NORMAL);
    // Linux may give each session the same share of the processors: then the number above counts only within it.
    fs.writeFileSync(`/proc/${pid}/autogroup`, String(PRIORITY_BELOW_NORMAL));
  } catch {
    // It has ended, or the system has no such thing, or does not allow it.
  }
}
