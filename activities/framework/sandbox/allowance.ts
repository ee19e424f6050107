/** What a sandboxed task may use, set by the worker's operator. */
import path from 'node:path';
import { numberSetting } from '../../../src/language/errors/number-settings';

export interface SandboxLimits {
  /** Address space of each process. */
  readonly memoryMb: number;
  /** Processes and threads of one task. The kernel does not count those of a worker that runs as root. */
  readonly processes: number;
  /** Size of each temporary folder. */
  readonly tmpMb: number;
}

export function limitsOf(env: NodeJS.ProcessEnv = process.env): SandboxLimits {
  return {
    memoryMb: Math.floor(numberSetting('NOETL_SANDBOX_MEMORY_MB', env) ?? 4096),
    processes: numberSetting('NOETL_SANDBOX_PROCESSES', env) ?? 256,
    tmpMb: Math.floor(numberSetting('NOETL_SANDBOX_TMP_MB', env) ?? 512),
  };
}

/** `NOETL_SANDBOX_READ`: folders of the worker that `standard` tasks may read, separated by `:`. */
export function readableFolders(env: NodeJS.ProcessEnv = process.env): string[] {
  return (env['NOETL_SANDBOX_READ'] ?? '')
    .split(path.delimiter)
    .filter((one) => one.trim() !== '')
    .map((one) => path.resolve(one.trim()));
}
