/** Why DuckDB's process died, and whose fault that is. */
import { signalName } from '../../../framework/process/signals';
import { ToolError } from '../../../framework/tool/outcome';

export interface Death {
  readonly why: string;
  readonly signal?: string;
}

/** @param code that of the process, or of the sandbox around it, which reports signals as shells do */
export function deathOf(code: number | null, signal: string | null, words: string): Death {
  const name = signal ?? signalName((code ?? 0) - 128);
  const how = name ?? `exit code ${code}`;
  const hint = name === 'SIGKILL' ? ' (out of memory, or killed from outside)' : '';
  return { why: `${how}${hint}${words && `: ${words}`}`, ...(name !== undefined && { signal: name }) };
}

/** The statement that ended the process: to run it again would end the next one. */
export function crashed({ why, signal }: Death): ToolError {
  return new ToolError({
    kind: 'exception',
    code: 'DUCKDB_CRASHED',
    message: `duckdb: the statement ended the process of DuckDB by ${why}`,
    ...(signal !== undefined && { signal }),
  });
}

/** A process that ended with other tasks in it. */
export function lost({ why }: Death): ToolError {
  return new ToolError({
    kind: 'connection',
    code: 'DUCKDB_LOST',
    message: `duckdb: the process of DuckDB ended, by another task on this database or from outside (${why})`,
    retryable: true,
  });
}
