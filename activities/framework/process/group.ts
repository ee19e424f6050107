/** Ends a child process together with everything it started (its process group). */
import { type ChildProcess } from 'node:child_process';

/** Time between SIGTERM, which lets a program clean up, and SIGKILL. */
const TERMINATION_GRACE_MS = 2000;

/** True if a signal was delivered. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends SIGTERM to the group of a `detached` child and SIGKILL after the grace period; returns a function that cancels
 * the latter.
 */
export function terminateGroup(child: ChildProcess, graceMs = TERMINATION_GRACE_MS): () => void {
  const pid = child.pid;
  if (pid === undefined) return () => undefined;
  signalGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs);
  return () => {
    clearTimeout(timer);
    // The leader has exited; members that ignored SIGTERM have not.
    signalGroup(pid, 'SIGKILL');
  };
}
