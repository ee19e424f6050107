/** What a child process inherits: only what it is given. */
import { type StdioOptions } from 'node:child_process';
import fs from 'node:fs';

type Given = Exclude<StdioOptions, string>;

const O_CLOEXEC = 0o2000000;
let inherited: readonly number[] | undefined;
let nothing: number | undefined;

/**
 * The `stdio` of a child. Descriptors that this process was started with would stay open in it: Node closes its own, and
 * others only up to the first gap. In their place, the child has /dev/null.
 */
export function only(given: Given): Given {
  inherited ??= inheritable();
  const all = [...given];
  for (const fd of inherited) {
    if (fd < given.length) continue;
    while (all.length < fd) all.push('ignore');
    all[fd] = nothing ??= fs.openSync('/dev/null', 'r');
  }
  return all;
}

/** Open descriptors that a child would keep; none where the system does not say. */
function inheritable(): number[] {
  const open = (): string[] => fs.readdirSync('/proc/self/fdinfo');
  try {
    return open()
      .map(Number)
      .filter((fd) => fd > 2 && isKept(fd))
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}

function isKept(fd: number): boolean {
  try {
    const [, flags = '0'] = /^flags:\s+(\d+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return (parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false; // that of the listing itself
  }
}
