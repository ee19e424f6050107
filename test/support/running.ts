/** Processes of this machine, by what they were started with. */
import fs from 'node:fs';

/** Numbers of those with exactly this argument. */
export function running(argument: string): number[] {
  const all = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((pid) => argumentsOf(pid).includes(argument));
}

let last = 0;

/** A number of seconds that no other process sleeps. */
export function ownSeconds(): string {
  return `${70_000 + process.pid}.${++last}`;
}

function argumentsOf(pid: number): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
