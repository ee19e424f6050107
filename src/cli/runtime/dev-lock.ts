/** One `dev` a data folder: two would share task queues and answer for each other without anybody knowing which. */
import fs from 'node:fs';
import path from 'node:path';
import { EnvironmentError } from '../../errors';
import { isAlive } from '../../temporal';

interface Holder {
  readonly pid: number;
  /** When the system started it, as it counts: a number that is in use again belongs to another process. */
  readonly started?: string;
  /** Of its console, once it listens. */
  readonly url?: string;
}

/**
 * Takes the folder for this process. A lock whose process is gone, however it ended, is taken over.
 *
 * @returns a function that gives it back
 * @throws EnvironmentError `DEV_RUNNING` naming the process that has it
 */
export function lockForDev(dataDir: string): () => void {
  fs.mkdirSync(dataDir, { recursive: true });
  const file = path.join(dataDir, 'dev.lock');
  const own: Holder = { pid: process.pid, started: startOf(process.pid) };
  // Written aside and linked into place: nobody reads half a lock.
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

/** Tells where the console of this process is, which has the lock. */
export function announceConsole(dataDir: string, url: string): void {
  const file = path.join(dataDir, 'dev.lock');
  const holder = holderOf(file);
  if (holder?.pid !== process.pid) return;
  const staged = `${file}.${process.pid}`;
  fs.writeFileSync(staged, JSON.stringify({ ...holder, url }));
  fs.renameSync(staged, file);
}

/** The address of the console of the `dev` that has this data folder; undefined when there is none. */
export function devConsole(dataDir: string): string | undefined {
  const holder = holderOf(path.join(dataDir, 'dev.lock'));
  return holder && isThere(holder) ? holder.url : undefined;
}

/** The process that is `dev` of this data folder; undefined when there is none. */
export function devProcess(dataDir: string): number | undefined {
  const holder = holderOf(path.join(dataDir, 'dev.lock'));
  return holder && isThere(holder) ? holder.pid : undefined;
}

/** Two processes may see the same stale lock: if this caught one that was taken meanwhile, that goes back. */
function putAside(file: string, aside: string): void {
  try {
    fs.renameSync(file, aside);
    const caught = holderOf(aside);
    if (caught && isThere(caught)) fs.linkSync(aside, file);
    fs.rmSync(aside, { force: true });
  } catch {
    // Somebody else put it aside; the next attempt sees whose it is.
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
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function isThere({ pid, started }: Holder): boolean {
  return isAlive(pid) && startOf(pid) === started;
}

/** Clock ticks since boot; undefined where the system has no /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const START_TIME = 19; // of the fields after the name, which may hold blanks
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME];
  } catch {
    return undefined;
  }
}
