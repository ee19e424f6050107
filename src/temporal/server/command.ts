import { execFile } from 'node:child_process';

export interface CommandResult {
  /** Exit code; null if ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/**
 * Runs a program to its end, or kills it at the time limit (milliseconds). Rejects only if it cannot be started.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { timeoutMs: number; env?: NodeJS.ProcessEnv; cwd?: string; uid?: number; gid?: number },
): Promise<CommandResult> {
  const { timeoutMs, ...spawned } = options;
  const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: Infinity } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { ...spawned, ...limits }, (error, stdout, stderr) => {
      if (typeof error?.code === 'string') return reject(error);
      const code = error ? (error.code ?? null) : 0;
      resolve({ code, stdout, stderr, timedOut: error?.killed === true });
    });
    child.stdin?.end();
  });
}
