/** `files` of a task: referenced data, as files on the worker while the task runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Json, type TaskCall } from '../../../src/language/plan';
import { type Deadline } from '../tool/deadline';
import { mappingField } from '../tool/fields';
import { invalidInput, ToolError } from '../tool/outcome';
import { save } from './save';
import { storeFailure } from './store-failure';
import { type ToolContext } from '../tool/tool';
import { openBody } from './body';
import { originIn, storeOf } from './reference';

/** Paths by name. */
export type Files = Readonly<Record<string, string>>;

let tasks: string | undefined;

/** The folder of this process with the files of all its running tasks, each in a folder of its own. */
export function tasksFolder(): string {
  if (tasks !== undefined) return tasks;
  const created = (tasks = mkdtempSync(path.join(os.tmpdir(), 'noetl-files-')));
  process.once('exit', () => rmSync(created, { recursive: true, force: true }));
  return created;
}

/** The folder of a task's files, on the worker; undefined without files. */
export function folderOfFiles(files: Files): string | undefined {
  const [file] = Object.values(files);
  return file === undefined ? undefined : path.dirname(file);
}

/** The paths of the files where another folder has them. */
export function movedTo(folder: string, files: Files): Files {
  return Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, path.posix.join(folder, path.basename(file))]),
  );
}

/**
 * Runs `work` with the paths of the files by name; without the field there are none. The files keep their names
 * (`readings.csv`: libraries look at extensions), in a private folder of their own.
 *
 * @throws ToolError `INVALID_FILES`, `NO_STORE`, `FILE_UNWRITABLE`, errors of references and the store
 */
export async function withFiles<T>(
  call: TaskCall,
  context: ToolContext,
  deadline: Deadline,
  work: (paths: Files) => Promise<T>,
): Promise<T> {
  const files = Object.entries(mappingField(call, 'files') ?? {});
  if (files.length === 0) return work({});
  const wrong = files.find(([name]) => !/^[\w-][\w.-]*$/.test(name));
  if (wrong)
    throw invalidInput(`${call.kind}: files: '${wrong[0]}' is not a valid file name`, 'INVALID_FILES');
  const folder = await mkdtemp(path.join(tasksFolder(), 'task-'));
  try {
    const paths: Record<string, string> = {};
    for (const [name, reference] of files) {
      paths[name] = await fetchInto(path.join(folder, name), name, reference, call, context, deadline);
    }
    return await work(paths);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchInto(
  file: string,
  name: string,
  reference: Json | undefined,
  call: TaskCall,
  context: ToolContext,
  deadline: Deadline,
): Promise<string> {
  const { kind } = call;
  const store = storeOf(kind, context);
  try {
    const body = await openBody(kind, store, originIn(kind, `files.${name}`, reference), deadline.signal);
    return (await save(kind, body.pieces(), file)).path;
  } catch (error) {
    throw deadline.reason() ?? (error instanceof ToolError ? error : storeFailure(kind, error));
  }
}
