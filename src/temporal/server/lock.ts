/** Lock files, each held by one living process at a time. */
import fs from 'node:fs';

export interface LockHolder {
  readonly pid: number;
  /** Start time of the process as counted by the system: a reused process id has another. */
  readonly started?: string;
  /** What the holder lets others know. */
  readonly note?: string;
}

/**
 * Locks a file for this process; a lock whose process has ended is taken over.
 *
 * @returns a function that releases it; undefined if a living process holds it
 */
export function takeLock(file: string): (() => void) | undefined {
  // Written to another file and linked into place, so that nobody reads half a lock.
  const own = `${file}.${process.pid}`;
  fs.writeFileSync(own, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
  try {
    if (!link(own, file)) {
      if (lockHolder(file)) return undefined;
      putAside(file, `${own}.stale`);
      if (!link(own, file)) return undefined;
    }
  } finally {
    fs.rmSync(own, { force: true });
  }
  return () => {
    if (holderIn(file)?.pid === process.pid) fs.rmSync(file, { force: true });
  };
}

/** Notes something in the lock that this process holds. */
export function noteInLock(file: string, note: string): void {
  const holder = holderIn(file);
  if (holder?.pid !== process.pid) return;
  fs.writeFileSync(`${file}.${process.pid}`, JSON.stringify({ ...holder, note }));
  fs.renameSync(`${file}.${process.pid}`, file);
}

/** The living process that holds the lock. */
export function lockHolder(file: string): LockHolder | undefined {
  const holder = holderIn(file);
  return holder && isAlive(holder.pid) && startOf(holder.pid) === holder.started ? holder : undefined;
}

/** False if there is such a file. */
function link(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Two processes may see the same stale lock: if this moved one renewed in the meantime, it is moved back. */
function putAside(file: string, aside: string): void {
  try {
    fs.renameSync(file, aside);
    if (lockHolder(aside)) fs.linkSync(aside, file);
    fs.rmSync(aside, { force: true });
  } catch {
    // Another process moved it.
  }
}

function holderIn(file: string): LockHolder | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
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
  // In a container whose init process reaps no children, a dead process keeps its id forever.
  return process.platform !== 'linux' || !/^[ZX]?$/.test(statOf(pid)[0] ?? '');
}

/** Clock ticks since boot; undefined on systems without /proc. */
function startOf(pid: number): string | undefined {
  const START_TIME = 19;
  return statOf(pid)[START_TIME];
}

/** What the system says of a process, from its state on; the name before it may contain blanks. */
function statOf(pid: number): string[] {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
