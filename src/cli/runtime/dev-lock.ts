/** Only one `dev` per data folder: two would share task queues and process each other's tasks unnoticed. */
import fs from 'node:fs';
import path from 'node:path';
import { EnvironmentError } from '../../language/errors';
import { isAlive, privateFolder } from '../../temporal/client';

interface Holder {
  readonly pid: number;
  /** Start time of the process as counted by the system: a reused process id has another. */
  readonly started?: string;
  /** Of its console, once it is listening. */
  readonly url?: string;
}

/**
 * Locks the folder for this process. A lock whose process has ended is taken over.
 *
 * @returns a function that releases it
 * @throws EnvironmentError `DEV_RUNNING` naming the process that holds it
 */
export function lockForDev(dataDir: string): () => void {
  privateFolder(dataDir);
  const file = path.join(dataDir, 'dev.lock');
  const own: Holder = { pid: process.pid, started: startOf(process.pid) };
  // Written to a temporary file and linked into place, so that nobody reads half a lock.
  const staged = `${file}.${process.pid}`;
  fs.writeFileSync(staged, JSON.stringify(own));
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        fs.linkSync(staged, file);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = holderOf(file);
      if (attempt > 2 || (holder && isThere(holder))) throw running(dataDir, holder);
      putAside(file, `${staged}.stale`);
    }
  } finally {
    fs.rmSync(staged, { force: true });
  }
  return () => {
    if (holderOf(file)?.pid === process.pid) fs.rmSync(file, { force: true });
  };
}

/** Records the console address of this process, which holds the lock. */
export function announceConsole(dataDir: string, url: string): void {
  const file = path.join(dataDir, 'dev.lock');
  const holder = holderOf(file);
  if (holder?.pid !== process.pid) return;
  const staged = `${file}.${process.pid}`;
  fs.writeFileSync(staged, JSON.stringify({ ...holder, url }));
  fs.renameSync(staged, file);
}

/** The console address of the `dev` that runs on this data folder; undefined if there is none. */
export function devConsole(dataDir: string): string | undefined {
  const holder = holderOf(path.join(dataDir, 'dev.lock'));
  return holder && isThere(holder) ? holder.url : undefined;
}

/** The process running `dev` on this data folder; undefined if there is none. */
export function devProcess(dataDir: string): number | undefined {
  const holder = holderOf(path.join(dataDir, 'dev.lock'));
  return holder && isThere(holder) ? holder.pid : undefined;
}

/** Two processes may see the same stale lock: if this moved one renewed in the meantime, it is moved back. */
function putAside(file: string, aside: string): void {
  try {
    fs.renameSync(file, aside);
    const caught = holderOf(aside);
    if (caught && isThere(caught)) fs.linkSync(aside, file);
    fs.rmSync(aside, { force: true });
  } catch {
    // Another process moved it; the next attempt reads its owner.
  }
}

function running(dataDir: string, holder: Holder | undefined): EnvironmentError {
  const pid = holder ? `process ${holder.pid}` : 'another process';
  return new EnvironmentError(
    'DEV_RUNNING',
    `another dev is already using the data folder ${dataDir}: ${pid}`,
    ['Use that one, stop it (Ctrl-C), or choose another folder with --data.'],
  );
}

function holderOf(file: string): Holder | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function isThere({ pid, started }: Holder): boolean {
  return isAlive(pid) && startOf(pid) === started;
}

/** Clock ticks since boot; undefined on systems without /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const START_TIME = 19; // of the fields after the name, which may contain blanks
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME];
  } catch {
    return undefined;
  }
}
