/** Where a process of DuckDB runs: beside its worker, or in a sandbox with nothing but itself and a task's files. */
import path from 'node:path';
import {
  bubblewrap,
  FILES_INSIDE,
  HOME_INSIDE,
  limitCommands,
  limitsOf,
  type Mounted,
  openFilter,
  OUTSIDE,
  SHELL,
} from '../../../framework/sandbox';
import { ENTRY, type DuckdbStart } from './process';

/** Address space of Node and of DuckDB's library, before there is any data. */
const RUNTIME_MB = 2048;

/** What DuckDB and its extensions read: programs, locale, folders, proxies, certificates. No token, no key. */
const PASSED = /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|XDG_\w+)$/i;

export function besideWorker(): DuckdbStart {
  return { around: beside, env: passed(PASSED) };
}

function passed(names: RegExp): Record<string, string> {
  const named = Object.entries(process.env).filter(([name]) => names.test(name));
  return Object.fromEntries(named) as Record<string, string>;
}

/** A core dump would have the rows of its task. */
function beside(command: readonly string[]): string[] {
  return [SHELL, '-c', 'ulimit -c 0; exec "$@"', 'sh', ...command];
}

/**
 * No level has a network or files of the worker here: DuckDB in a sandbox uses neither.
 *
 * @param folder for the task's files
 */
export function inSandbox(folder: string): DuckdbStart {
  const programs = [process.execPath, ...programFolders()].map((from): Mounted => ({ from }));
  const memory = { ...process.env, NOETL_SANDBOX_MEMORY_MB: String(limitsOf().memoryMb + RUNTIME_MB) };
  return {
    around: (command) => [
      ...bubblewrap({ level: 'strict', mounts: [...programs, { from: folder, to: FILES_INSIDE }] }),
      ...[SHELL, '-c', [...limitCommands(memory), 'exec "$@"'].join('; '), 'sh', ...command],
    ],
    env: { ...OUTSIDE, HOME: HOME_INSIDE, TMPDIR: HOME_INSIDE, ...passed(/^(TZ|LANG|LC_\w+)$/) },
    openFilter,
  };
}

/** The compiled code, and the packages of DuckDB. */
function programFolders(): string[] {
  const bindings = path.dirname(require.resolve('@duckdb/node-bindings/package.json'));
  return [ENTRY, path.dirname(bindings)];
}
