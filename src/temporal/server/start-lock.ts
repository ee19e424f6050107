import fs from 'node:fs';

/** A start takes seconds; an older lock was left by a process that died, even if its process id is in use again. */
const LOCK_AGE_LIMIT_MS = 120_000;

/**
 * Runs `work` while holding a lock file, or returns undefined at once if another living process holds it. A lock
 * whose owner is dead is taken over.
 */
export async function withStartLock<T>(file: string, work: () => Promise<T>): Promise<T | undefined> {
  if (!acquire(file)) return undefined;
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

function acquire(file: string): boolean {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (isHeld(file)) return false;
  // Two processes may see the same stale lock. Only one rename succeeds; if it moved a lock renewed in the
  // meantime, it is moved back.
  const aside = `${file}.${process.pid}.stale`;
  try {
    fs.renameSync(file, aside);
    if (isHeld(aside)) fs.linkSync(aside, file);
    fs.rmSync(aside, { force: true });
  } catch {
    return false;
  }
  return false;
}

function isHeld(file: string): boolean {
  try {
    const pid = Number(fs.readFileSync(file, 'utf8'));
    const age = Date.now() - fs.statSync(file).mtimeMs;
    // An empty file is a lock that is just being written.
    return age < LOCK_AGE_LIMIT_MS && (pid === 0 ? age < 1_000 : isAlive(pid));
  } catch {
    return false;
  }
}

/** Whether a process with this id runs, ours or another user's; zombies do not count. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !isZombie(pid);
}

/** In a container whose init process reaps no children, a dead process keeps its id forever. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return true; // it has just ended
  }
}
