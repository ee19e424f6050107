/**
 * Ends processes that left the group of their task (a daemon, a session of its own): every task's processes have its mark
 * in their environment, which their children inherit. It is read where Linux shows it, so a process that replaced its
 * environment is not found.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

/** The variable that holds it. */
export const MARK = 'NOETL_TASK_MARK';
/** All have one length, so that one can be written over another (warm.py). */
export const MARK_LENGTH = 80;

/** Until then a process that forks again and again is followed. */
const LIMIT_MS = 5000;
const PAUSE_MS = 5;
/** And so long one that has no environment: the program that it begins may be on its way to one. */
const BARE_LIMIT_MS = 500;
/** In this time process numbers do not come round. */
const SHORT_MS = 1000;
/** Processes looked at in one piece. */
const PIECE = 200;
/** Numbers that are tried rather than listed, which takes the longer the more processes there are. */
const FEW = 64;

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
  await endAll((environ) => environ.includes(entry), first);
}

/** Ends the processes of tasks whose worker is gone: killed together with what would have ended them. */
export async function endLeft(): Promise<void> {
  const here = thisWorker().split('.')[0];
  await endAll((environ) => {
    const text = environ.toString('latin1');
    const [, space, pid, begun] = /(?:^|\0)NOETL_TASK_MARK=(\d+)\.(\d+)\.(\d+)\./.exec(text) ?? [];
    return space !== undefined && space === here && beginningOf(Number(pid)) !== begun;
  });
}

type IsMeant = (environ: Buffer) => boolean;

async function endAll(isMeant: IsMeant, first?: { pid: number; ms: number }): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const { pids, bare } = await processes(isMeant, first && first.ms < SHORT_MS ? first.pid : 0);
    for (const pid of pids) kill(pid);
    const ms = performance.now() - begun;
    const isFollowed = bare.some((pid) => first && ageMs(pid) <= first.ms + ms);
    if (pids.length === 0 && !(isFollowed && ms < BARE_LIMIT_MS)) return;
    if (ms > LIMIT_MS) return;
    await sleep(PAUSE_MS);
  }
}

interface Swept {
  readonly pids: readonly number[];
  /** Programs without an environment. */
  readonly bare: readonly number[];
}

/** @param first the lowest number of those that are meant; 0 if that is not known */
async function processes(isMeant: IsMeant, first: number): Promise<Swept> {
  const [pids, bare]: [number[], number[]] = [[], []];
  for (const [index, pid] of candidates(first).entries()) {
    if (index % PIECE === PIECE - 1) await turn();
    const environ = pid === process.pid ? undefined : read(`/proc/${pid}/environ`);
    if (environ?.length === 0 && isProgram(pid)) bare.push(pid);
    else if (environ && isMeant(environ)) pids.push(pid);
  }
  return { pids, bare };
}

/** Threads of the kernel and processes that have ended are none. */
function isProgram(pid: number): boolean {
  try {
    return fs.readlinkSync(`/proc/${pid}/exe`) !== '';
  } catch {
    return false;
  }
}

/** To a hundredth of a second; Infinity if there is none. */
function ageMs(pid: number): number {
  const ticks = beginningOf(pid);
  return ticks === undefined ? Infinity : os.uptime() * 1000 - Number(ticks) * 10;
}

function candidates(first: number): number[] {
  const last = first > 0 ? lastPid() : 0;
  if (last < first || first === 0) return list('/proc').map(Number);
  if (last - first <= FEW) return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return list('/proc')
    .map(Number)
    .filter((pid) => pid >= first);
}

/** The number that was given last. */
function lastPid(): number {
  return Number(read('/proc/loadavg')?.toString('latin1').trim().split(' ').at(-1)) || 0;
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
