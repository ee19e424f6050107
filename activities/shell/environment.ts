/** The environment and the folder of a process that a task starts. */
import { stat } from 'node:fs/promises';
import { type Json, type TaskCall } from '../../src/plan';
import { mappingField, textField } from '../fields';
import { invalid } from '../outcome';

const INPUT_LIMIT = 64 * 1024;

/** What a process sees of the worker, the task and its inputs; inputs that do not fit are `omitted`. */
export function environmentOf(call: TaskCall): { env: Record<string, string>; omitted: string[] } {
  const env: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'LANG']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  env['NOETL_EXECUTION_ID'] = call.execution_id;
  env['NOETL_IDEMPOTENCY_KEY'] = call.idempotency_key;
  const omitted: string[] = [];
  for (const [name, value] of Object.entries(call.input)) {
    const text = variableText(value);
    if (Buffer.byteLength(text) > INPUT_LIMIT) omitted.push(name);
    else env[`NOETL_INPUT_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`] = text;
  }
  for (const [name, value] of Object.entries(mappingField(call, 'env') ?? {}))
    env[name] = variableText(value);
  return { env, omitted };
}

/** Environment variables cannot hold a NUL character. */
function variableText(value: Json): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', '');
}

/** @throws ToolError when it is none */
export async function folderOf(call: TaskCall): Promise<string | undefined> {
  const cwd = textField(call, 'cwd');
  if (cwd !== undefined && !(await isFolder(cwd)))
    throw invalid(`${call.kind}: cwd '${cwd}' is not a folder`);
  return cwd;
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
