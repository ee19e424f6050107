/** DuckDB in a sandboxed task: the engine is part of the worker, so it confines itself. */
import { type DuckDBConnection } from '@duckdb/node-api';
import { type TaskCall } from '../../../src/plan';
import { type Level, levelOf } from '../../framework/sandbox';
import { invalid } from '../../framework/tool/outcome';
import { type Files, folderOfFiles } from '../../framework/results/files';
import { isMemory } from './instances';

/**
 * The sandbox of the task.
 *
 * @throws ToolError `SANDBOX_FILE` for a database file or a login, which only an unconfined database can use
 */
export function levelFor(call: TaskCall, database: string, hasSecrets: boolean): Level {
  const level = levelOf(call);
  if (level === 'none' || (isMemory(database) && !hasSecrets)) return level;
  const what = hasSecrets ? '`auth` (other databases and buckets)' : `the database file ${database}`;
  throw invalid(
    `${call.kind}: ${what} cannot be used in the sandbox ${level}, where DuckDB has no files or network; the task needs spec.sandbox: none, on a worker that allows it (docs/isolation.md)`,
    'SANDBOX_FILE',
  );
}

/** Takes everything outside from a database, for good, but the files of the task. */
export async function confine(connection: DuckDBConnection, files: Files): Promise<void> {
  const folder = folderOfFiles(files);
  if (folder !== undefined)
    await connection.run(`set allowed_directories = ['${folder.replaceAll("'", "''")}/']`);
  await connection.run('set enable_external_access = false');
  await connection.run('set lock_configuration = true');
}
