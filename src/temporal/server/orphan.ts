import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from './command';
import { isAlive } from './lock';

const STOP_LIMIT_MS = 5_000;

/**
 * Stops a server whose keeper was killed. The process id alone proves nothing, because it may have been reused: the
 * process must still run the command we started.
 */
export async function stopOrphan(
  pid: number,
  command: string,
  stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  if (!(await runs(pid, command))) return;
  signal(pid, stopSignal);
  const deadline = Date.now() + STOP_LIMIT_MS;
  while (isAlive(pid) && Date.now() < deadline) await sleep(25);
  if (isAlive(pid)) signal(pid, 'SIGKILL');
}

/** Whether the process exists and was started with this command. */
export async function runs(pid: number, command: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] === command;
    } catch {
      return false;
    }
  }
  const listed = await runProgram('ps', ['-p', String(pid), '-o', 'args='], { timeoutMs: 2_000 }).catch(
    () => undefined,
  );
  return listed?.stdout.trim().startsWith(command) ?? false;
}

function signal(pid: number, name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended between the check and the signal.
  }
}
