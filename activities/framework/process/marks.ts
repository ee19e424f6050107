/**
 * Ends processes that left the group of their task (a daemon, a session of its own): every task's processes have its mark
 * in their environment, which their children inherit. It is read where Linux shows it, so a process that replaced its
 * environment is not found.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** The variable that holds it. */
export const MARK = 'NOETL_TASK_MARK';
/** All have one length, so that one can be written over another (warm.py). */
export const MARK_LENGTH = 80;

/** Until then a process that forks again and again is followed. */
const LIMIT_MS = 5000;
const PAUSE_MS = 5;
/** In this time process numbers do not come round. */
const SHORT_MS = 1000;
/** Processes looked at in one piece. */
const PIECE = 200;

/** A mark of a task of this worker, which others can tell from those of workers that are gone. */
export function newMark(): string {
  return `${thisWorker()}.${randomBytes(12).toString('hex')}`.padEnd(MARK_LENGTH, '.');
}

/**
 * Ends every process with the mark, again until there is none.
 *
 * @param first the task's first process, and how long ago it began: of a short task, only later ones are looked at
 */
export async function endMarked(mark: string, first?: { pid: number; ms: number }): Promise<void> {
  const entry = Buffer.from(`${MARK}=${mark}`);
  const from = first ? earliest(first) : 0;
  await endAll((environ) => environ.includes(entry), from);
}

/** Ends the processes of tasks whose worker is gone: killed together with what would have ended them. */
export async function endLeft(): Promise<void> {
  const here = thisWorker().split('.')[0];
  await endAll((environ) => {
    const text = environ.toString('latin1');
    const [, space, pid, begun] = /(?:^|\0)NOETL_TASK_MARK=(\d+)\.(\d+)\.(\d+)\./.exec(text) ?? [];
    return space !== undefined && space === here && beginningOf(Number(pid)) !== begun;
  }, 0);
}

async function endAll(isMeant: (environ: Buffer) => boolean, from: number): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  for (;;) {
    const pids = await processes(isMeant, from);
    for (const pid of pids) kill(pid);
    if (pids.length === 0 || performance.now() > until) return;
    await sleep(PAUSE_MS);
  }
}

async function processes(isMeant: (environ: Buffer) => boolean, from: number): Promise<number[]> {
  const all = list('/proc')
    .map(Number)
    .filter((pid) => pid >= from && pid !== process.pid);
  const pids: number[] = [];
  for (const [index, pid] of all.entries()) {
    if (index % PIECE === PIECE - 1) await setImmediate();
    const environ = read(`/proc/${pid}/environ`);
    if (environ && isMeant(environ)) pids.push(pid);
  }
  return pids;
}

function earliest({ pid, ms }: { pid: number; ms: number }): number {
  const last = Number(read('/proc/loadavg')?.toString('latin1').trim().split(' ').at(-1));
  return ms < SHORT_MS && last >= pid ? pid : 0;
}

let worker: string | undefined;

/** Numbers of the namespace of processes, of this process in it, and when it began: no other has the same. */
function thisWorker(): string {
  return (worker ??= `${space()}.${process.pid}.${beginningOf(process.pid) ?? 0}`);
}

function space(): string {
  try {
    return /\d+/.exec(fs.readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** When a process began, in ticks of the machine; undefined if there is none. */
function beginningOf(pid: number): string | undefined {
  const text = read(`/proc/${pid}/stat`)?.toString('latin1');
  // The name in parentheses may contain anything; 20 fields follow until the one.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

function list(folder: string): string[] {
  try {
    return fs.readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // not Linux
  }
}

function read(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined; // gone, or another user's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}
