/** Runs one program and its descendants: output is bounded, and it ends with its task and its worker. */
import { spawn } from 'node:child_process';
import { type JsonObject } from '../../../src/plan';
import { TailBuffer } from '../tool/bounded';
import { type Deadline } from '../tool/deadline';
import { ToolError } from '../tool/outcome';
import { type Print } from '../tool/tool';
import { terminateGroup } from './group';

/** Maximum bytes kept of stdout and of stderr. */
const OUTPUT_LIMIT = 256 * 1024;
/** How long to wait for output after the program has exited: a background child may hold the pipe for ever. */
const DRAIN_MS = 500;

export interface ProcessResult extends JsonObject {
  stdout: string;
  stderr: string;
  /** 128 + n for signal n, as shells report it. */
  returncode: number;
  duration_ms: number;
}

/**
 * A watcher in the command's process group waits for the other end of descriptor 3 to close, and then kills the group:
 * when the task ends, and also when the worker dies without cleaning up. Temporal then reruns the task elsewhere, and
 * the same command must not keep running here.
 */
const LIFELINE = `(read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;

/** Where a program runs, and who hears what it prints. */
export interface Surroundings {
  readonly env: Record<string, string>;
  readonly cwd: string | undefined;
  readonly print: Print | undefined;
  /** Makes the command line that runs a command within its sandbox. */
  readonly sandbox?: ((command: readonly string[]) => string[]) | undefined;
}

/** Runs a program to its end; an abort of the deadline ends its process group. @throws ToolError `SPAWN_FAILED` */
export function runProcess(
  command: readonly string[],
  { env, cwd, print, sandbox }: Surroundings,
  deadline: Deadline,
): Promise<ProcessResult> {
  const aborted = deadline.reason();
  if (aborted) return Promise.reject(aborted);
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const line = sandbox ? sandbox(command) : command;
    const child = spawn('/bin/sh', ['-c', LIFELINE, 'sh', ...line], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const kept = { stdout: new TailBuffer(OUTPUT_LIMIT), stderr: new TailBuffer(OUTPUT_LIMIT) };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]!.on('data', (chunk: Buffer) => {
        kept[stream].push(chunk);
        print?.(stream, chunk);
      });
    }
    let release: (() => void) | undefined;
    const stop = (): void => {
      release ??= terminateGroup(child);
    };
    deadline.signal.addEventListener('abort', stop, { once: true });
    const leave = (): void => {
      deadline.signal.removeEventListener('abort', stop);
      release?.();
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      leave();
      const message = `the process could not be started: ${error.code ?? error.message}`;
      reject(new ToolError({ kind: 'exception', code: 'SPAWN_FAILED', message }));
    });
    child.on('exit', (exitCode, signal) => {
      leave();
      child.stdio[3]?.destroy();
      const drained = setTimeout(() => {
        child.stdout!.destroy();
        child.stderr!.destroy();
      }, DRAIN_MS);
      child.on('close', () => {
        clearTimeout(drained);
        resolve({
          stdout: kept.stdout.toString(),
          stderr: kept.stderr.toString(),
          returncode: exitCode ?? 128 + (SIGNAL_NUMBERS[signal!] ?? 0),
          duration_ms: Math.round(performance.now() - started),
        });
      });
    });
  });
}

/** As shells report it: 128 + the signal's number. */
const SIGNAL_NUMBERS: Partial<Record<NodeJS.Signals, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

/** A program's last output, for a message. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.slice(0, 500) ?? '';
}
