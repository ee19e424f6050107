/** DuckDB in a sandboxed task: its process is in a sandbox, and its SQL has no files but the task's. */
import { type TaskCall } from '../../../src/language/plan';
import { isolationOf, type Level, levelOf } from '../../framework/sandbox';
import { invalidInput } from '../../framework/tool/outcome';
import { isMemory } from './instances';
import { type Connection } from './process/connection';

/**
 * The sandbox of the task.
 *
 * @throws ToolError `SANDBOX_FILE` for a database file or a login, which only an unconfined database can use;
 *   `SANDBOX_UNAVAILABLE`, `SANDBOX_REFUSED`, `SANDBOX_SETTING`
 */
export async function levelFor(call: TaskCall, database: string, hasSecrets: boolean): Promise<Level> {
  const level = levelOf(call);
  if (level === 'none') return level;
  if (isMemory(database) && !hasSecrets) {
    // What runs there needs no network: a machine that can enforce `strict` is enough for both.
    await isolationOf({ ...call, options: { ...call.options, sandbox: 'strict' } });
    return level;
  }
  const what = hasSecrets ? '`auth` (other databases and buckets)' : `the database file ${database}`;
  throw invalidInput(
    `${call.kind}: ${what} cannot be used in the sandbox ${level}, where DuckDB has no files or network; the task needs spec.sandbox: none, on a worker that allows it (docs/isolation.md)`,
    'SANDBOX_FILE',
  );
}

/**
 * Takes everything outside from a database, for good, but the files of the task.
 *
 * @param folder of the files, as the process sees it
 */
export async function confine(connection: Connection, folder: string | undefined): Promise<void> {
  const quoted = folder?.replaceAll("'", "''");
  await connection.run(
    `${quoted === undefined ? '' : `set allowed_directories = ['${quoted}/'];`}set enable_external_access = false; set lock_configuration = true`,
  );
}
