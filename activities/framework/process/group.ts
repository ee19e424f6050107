/** Ends a child process together with everything it started (its process group). */
import { type ChildProcess } from 'node:child_process';

/** Between SIGTERM, which lets a program clean up, and SIGKILL, which does not ask. */
export const TERMINATION_GRACE_MS = 2000;

/** True when a signal was delivered to somebody. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** SIGTERM to the group of a `detached` child, SIGKILL after the grace; returns what cancels the second. */
export function terminateGroup(child: ChildProcess, graceMs = TERMINATION_GRACE_MS): () => void {
  const pid = child.pid;
  if (pid === undefined) return () => undefined;
  signalGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs);
  return () => {
    clearTimeout(timer);
    // The leader is gone; members that ignored SIGTERM are not.
    signalGroup(pid, 'SIGKILL');
  };
}
