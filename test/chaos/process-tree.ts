/** Processes of this machine, as /proc tells of them (Linux). */
import fs from 'node:fs';

export interface Seen {
  readonly pid: number;
  readonly parent: number;
  /** In clock ticks since boot: with it, an id that was given away again is another process. */
  readonly started: string;
  readonly state: string;
  readonly rssMiB: number;
  /** Processor time, with that of ended children: hundredths of a second. */
  readonly ticks: number;
  readonly name: string;
}

const PAGE_MIB = 4 / 1024;

export function processes(): Map<number, Seen> {
  const all = new Map<number, Seen>();
  for (const entry of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const seen = processOf(Number(entry));
    if (seen) all.set(seen.pid, seen);
  }
  return all;
}

export function processOf(pid: number): Seen | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    const fields = stat.slice(end + 2).split(' ');
    return {
      pid,
      name: stat.slice(stat.indexOf('(') + 1, end),
      state: fields[0] ?? '?',
      parent: Number(fields[1]),
      started: fields[19] ?? '',
      rssMiB: Number(fields[21]) * PAGE_MIB,
      ticks: fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0),
    };
  } catch {
    return undefined;
  }
}

/** A process that has ended and waits for its parent to notice is not alive. */
export function isRunning(pid: number): boolean {
  const seen = processOf(pid);
  return seen !== undefined && seen.state !== 'Z';
}

/** The processes below one, itself not included. */
export function below(root: number, all = processes()): Seen[] {
  const children = [...all.values()].filter(({ parent }) => parent === root);
  return children.flatMap((child) => [child, ...below(child.pid, all)]);
}
