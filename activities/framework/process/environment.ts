/** The environment and working directory of a process started by a task. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Json, type TaskCall } from '../../../src/language/plan';
import { mappingField, textField } from '../tool/fields';
import { invalidInput } from '../tool/outcome';

const INPUT_LIMIT = 64 * 1024;
/** Of one variable with its name, in bytes: what Linux lets a program have. */
const VARIABLE_LIMIT = 128 * 1024 - 1;

export interface ProcessEnvironment {
  readonly env: Record<string, string>;
  /** Names of inputs that are too large. */
  readonly omitted: string[];
}

/**
 * Environment of a process on this machine: variables of the worker, the task and its inputs, and in `NOETL_FILES` the
 * folder of its files.
 *
 * @param files the task's `files`, all in one folder
 * @throws ToolError for a variable that a shell cannot set, or that is too large
 */
export function environmentOf(
  call: TaskCall,
  files: Readonly<Record<string, string>> = {},
): ProcessEnvironment {
  const { env, omitted } = taskEnvironment(call);
  const [file] = Object.values(files);
  const own = ['PATH', 'HOME', 'LANG'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const folder: Record<string, string> = file === undefined ? {} : { NOETL_FILES: path.dirname(file) };
  for (const [name, value] of Object.entries(env)) assertSettable(call.kind, name, value);
  return { env: { ...Object.fromEntries(own), ...folder, ...env }, omitted };
}

function assertSettable(kind: string, name: string, value: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    const message = `${kind}: env: ${JSON.stringify(name)} cannot be the name of a shell's variable: use letters, digits and _, and begin with no digit`;
    throw invalidInput(message);
  }
  const size = Buffer.byteLength(`${name}=${value}`);
  if (size <= VARIABLE_LIMIT) return;
  const message = `${kind}: env: ${name} has ${size} bytes, and a variable at most ${VARIABLE_LIMIT}: pass it as a file (files)`;
  throw invalidInput(message);
}

/** Variables describing the task and its inputs, wherever the process runs. */
export function taskEnvironment(call: TaskCall): ProcessEnvironment {
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
  return { env: { ...env, ...variablesOf(call) }, omitted };
}

/** The author's `env`, as text. @throws ToolError for a name that no program could be given */
export function variablesOf(call: TaskCall): Record<string, string> {
  const all = Object.entries(mappingField(call, 'env') ?? {});
  const wrong = all.find(([name]) => name === '' || /[=\0]/.test(name));
  if (wrong) {
    const message = `${call.kind}: env: ${JSON.stringify(wrong[0])} cannot be the name of a variable, which has characters, and no = or NUL among them`;
    throw invalidInput(message);
  }
  return Object.fromEntries(all.map(([name, value]) => [name, nulFree(value)]));
}

/** As text: neither variables of an environment nor arguments can hold a NUL character. */
export function nulFree(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', '');
}

/** @throws ToolError if it is not a directory */
export async function folderOf(call: TaskCall): Promise<string | undefined> {
  const cwd = textField(call, 'cwd');
  if (cwd !== undefined && !(await isFolder(cwd)))
    throw invalidInput(`${call.kind}: cwd '${cwd}' is not a folder`);
  return cwd;
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
