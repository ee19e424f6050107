/**
 * Which files of the worker a playbook may name: `NOETL_FILES`, folders separated by `:`, `*` for all; without it all.
 * A worker that holds secrets of the installation allows none unless its operator says so
 * (src/cli/runtime/code-workers.ts): its keys are files, and /proc/self/environ is one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { invalidInput } from './outcome';

/**
 * A file that a playbook names, to be read or written.
 *
 * @param kind of the task, for the message
 * @returns its absolute path
 * @throws ToolError `FILE_REFUSED`
 */
export function workerFile(kind: string, name: string): string {
  const file = path.resolve(name);
  const written = process.env['NOETL_FILES'];
  if (written === undefined || written === '*') return file;
  const folders = written.split(path.delimiter).filter(Boolean);
  if (folders.some((folder) => isWithin(realOf(file), realOf(path.resolve(folder))))) return file;
  const allowed = folders.length === 0 ? 'none' : `those in ${folders.join(', ')}`;
  throw invalidInput(
    `${kind}: ${file} is a file of the worker, of which playbooks may name ${allowed} (NOETL_FILES); use \`{store: results}\` and references, or have the worker's operator allow its folder (docs/isolation.md#files-of-the-worker)`,
    'FILE_REFUSED',
  );
}

/**
 * For what reads and writes files of the worker that a server names.
 *
 * @throws ToolError `FILE_REFUSED` unless playbooks may name all
 */
export function anyWorkerFile(kind: string, what: string): void {
  const written = process.env['NOETL_FILES'];
  if (written === undefined || written === '*') return;
  throw invalidInput(
    `${kind}: ${what} reads or writes files of the worker, of which its server says which: only a worker with NOETL_FILES=* does that (docs/isolation.md#files-of-the-worker)`,
    'FILE_REFUSED',
  );
}

/** Where links lead; of a file that is not there yet, those of the folder that it would be in. */
function realOf(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realOf(folder), path.basename(file));
  }
}

function isWithin(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`);
}
