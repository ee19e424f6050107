/** Where a process of DuckDB runs: beside its worker, or in a sandbox with nothing but itself and a task's files. */
import path from 'node:path';
import {
  bubblewrap,
  FILES_INSIDE,
  HOME_INSIDE,
  limited,
  limitsOf,
  type Mounted,
} from '../../../framework/sandbox';
import { ENTRY, type Start } from './process';

/** Address space of Node and of DuckDB's library, before there is any data. */
const RUNTIME_MB = 2048;

/** A core dump would have the rows of its task. */
export function atNoLevel(command: readonly string[]): string[] {
  return ['/bin/sh', '-c', 'ulimit -c 0; exec "$@"', 'sh', ...command];
}

/** No level has a network or files of the worker here: DuckDB in a sandbox uses neither. */
export function inSandbox(folder: string | undefined): Start {
  const programs = [process.execPath, ...programFolders()].map((from): Mounted => ({ from }));
  const files: readonly Mounted[] = folder === undefined ? [] : [{ from: folder, to: FILES_INSIDE }];
  const memory = { ...process.env, NOETL_SANDBOX_MEMORY_MB: String(limitsOf().memoryMb + RUNTIME_MB) };
  return {
    around: (command) => [
      ...bubblewrap({ level: 'strict', mounts: [...programs, ...files] }),
      ...limited(command, memory),
    ],
    env: { HOME: HOME_INSIDE, TMPDIR: HOME_INSIDE },
  };
}

/** The compiled code, and the packages of DuckDB. */
function programFolders(): string[] {
  const activities = path.resolve(path.dirname(ENTRY), '../../..');
  const api = path.dirname(require.resolve('@duckdb/node-api/package.json'));
  return [activities, path.dirname(api)];
}
