/** The environment and working directory of a process started by a task. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Json, type TaskCall } from '../../../src/plan';
import { mappingField, textField } from '../tool/fields';
import { invalid } from '../tool/outcome';

const INPUT_LIMIT = 64 * 1024;

export interface Environment {
  readonly env: Record<string, string>;
  /** Names of inputs that are too large. */
  readonly omitted: string[];
}

/**
 * Environment of a process on this machine: variables of the worker, the task and its inputs, and in `NOETL_FILES` the
 * folder of its files.
 *
 * @param files the task's `files`, all in one folder
 */
export function environmentOf(call: TaskCall, files: Readonly<Record<string, string>> = {}): Environment {
  const { env, omitted } = taskEnvironment(call);
  const [file] = Object.values(files);
  const own = ['PATH', 'HOME', 'LANG'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const folder: Record<string, string> = file === undefined ? {} : { NOETL_FILES: path.dirname(file) };
  return { env: { ...Object.fromEntries(own), ...folder, ...env }, omitted };
}

/** Variables describing the task and its inputs, wherever the process runs. */
export function taskEnvironment(call: TaskCall): Environment {
  const env: Record<string, string> = {
    NOETL_EXECUTION_ID: call.execution_id,
    NOETL_IDEMPOTENCY_KEY: call.idempotency_key,
  };
  const omitted: string[] = [];
  for (const [name, value] of Object.entries(call.input)) {
    const text = nulFree(value);
    if (Buffer.byteLength(text) > INPUT_LIMIT) omitted.push(name);
    else env[`NOETL_INPUT_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`] = text;
  }
  for (const [name, value] of Object.entries(mappingField(call, 'env') ?? {})) env[name] = nulFree(value);
  return { env, omitted };
}

/** As text: neither variables of an environment nor arguments can hold a NUL character. */
export function nulFree(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', '');
}

/** @throws ToolError if it is not a directory */
export async function folderOf(call: TaskCall): Promise<string | undefined> {
  const cwd = textField(call, 'cwd');
  if (cwd !== undefined && !(await isFolder(cwd)))
    throw invalid(`${call.kind}: cwd '${cwd}' is not a folder`);
  return cwd;
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
