/** Runs one program and its descendants: output is bounded, and it ends with its task and its worker. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { type Readable, type Writable } from 'node:stream';
import { type JsonObject } from '../../../src/language/plan';
import { openFilter, OUTSIDE, SHELL } from '../sandbox';
import { TailBuffer } from '../tool/bounded';
import { type Deadline } from '../tool/deadline';
import { invalidInput, ToolError } from '../tool/outcome';
import { silence } from '../tool/silence';
import { type Print } from '../tool/tool';
import { runInBackground } from './background';
import { only } from './descriptors';
import { terminateGroup } from './group';
import { launch } from './launch';
import { endMarked, MARK, newMark } from './marks';

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
const LIFELINE = ['(read -r _ <&3; kill -KILL 0) </dev/null >/dev/null 2>&1 &', 'exec 3<&-'];

/** A wall around the command. */
export interface Wall {
  /** The command line that runs a command within it. */
  line(command: readonly string[]): string[];
  /** What the shell that becomes the command does first, with its folder as the first argument. */
  readonly before: readonly string[];
  /** The command's folder, as it is within. */
  readonly cwd: string;
}

/** Where a program runs, and who hears what it prints. */
export interface ProcessSurroundings {
  readonly env: Record<string, string>;
  readonly cwd: string | undefined;
  readonly print: Print | undefined;
  readonly wall?: Wall | undefined;
  /** What it reads; default nothing. */
  readonly input?: Readable;
}

/** Where the shell that becomes a command finds the command's input: its own is its program. */
const INPUT = 5;

/**
 * Runs a program to its end, and everything that it started; an abort of the deadline ends its process group.
 *
 * @throws ToolError `SPAWN_FAILED`
 */
export async function runProcess(
  command: readonly string[],
  surroundings: ProcessSurroundings,
  deadline: Deadline,
): Promise<ProcessResult> {
  const aborted = deadline.reason();
  if (aborted) throw aborted;
  assertRunnable(command);
  const started = performance.now();
  const mark = surroundings.wall ? undefined : newMark();
  const child = start(command, surroundings, mark);
  const kept = { stdout: new TailBuffer(OUTPUT_LIMIT), stderr: new TailBuffer(OUTPUT_LIMIT) };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (chunk: Buffer) => {
      kept[stream].push(chunk);
      surroundings.print?.(stream, chunk);
    });
  }
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const returncode = await endOf(child, deadline);
  child.stdio[3]?.destroy();
  inputOf(child)?.destroy();
  if (mark !== undefined) await endMarked(mark, { pid: child.pid!, ms: performance.now() - started });
  const over = new AbortController();
  await Promise.race([closed, silence([child.stdout, child.stderr], DRAIN_MS, over.signal)]);
  over.abort();
  child.stdout?.destroy();
  child.stderr?.destroy();
  await closed;
  return {
    stdout: kept.stdout.toString(),
    stderr: kept.stderr.toString(),
    returncode,
    duration_ms: Math.round(performance.now() - started),
  };
}

/** @throws ToolError for what is no command line */
function assertRunnable([program = '', ...args]: readonly string[]): void {
  if (program === '' || program.startsWith('-'))
    throw invalidInput(`'${program}' is ${program === '' ? 'no program' : 'an option, not a program'}`);
  if ([program, ...args].some((one) => one.includes('\0')))
    throw invalidInput('a command cannot contain a NUL character');
}

/** The shell that becomes the command, or that builds the wall within which another one does. */
function start(
  command: readonly string[],
  { env, cwd, wall, input }: ProcessSurroundings,
  mark: string | undefined,
): ChildProcess {
  const filter = wall && openFilter();
  try {
    const args = wall
      ? [
          '-c',
          [...LIFELINE, 'exec "$@"'].join('\n'),
          'sh',
          ...wall.line([SHELL, '-s', '--', wall.cwd, ...command]),
        ]
      : ['-s', '--', ...command];
    const child = spawn(SHELL, args, {
      cwd,
      env: OUTSIDE,
      detached: true,
      stdio: only(['pipe', 'pipe', 'pipe', 'pipe', filter ?? 'ignore', ...(input ? ['pipe' as const] : [])]),
    });
    runInBackground(child.pid);
    const reads = input && `<&${INPUT} ${INPUT}<&-`;
    const pipe = inputOf(child);
    pipe?.on('error', () => undefined); // it ended before it read everything
    if (pipe) input?.pipe(pipe);
    child.stdin?.on('error', () => undefined); // it ended before it read; its end says why
    child.stdin?.end(
      wall
        ? launch(wall.before, env, reads)
        : launch([...LIFELINE, 'ulimit -c 0'], mark === undefined ? env : { ...env, [MARK]: mark }, reads),
    );
    return child;
  } finally {
    if (filter !== undefined) fs.closeSync(filter);
  }
}

/** Descriptors beyond the first five are in no type. */
function inputOf({ stdio }: ChildProcess): Writable | null | undefined {
  return (stdio as readonly (Writable | null | undefined)[])[INPUT];
}

/** Waits for the end of the first process; the rest of its group is ended with it. @returns its exit code */
function endOf(child: ChildProcess, deadline: Deadline): Promise<number> {
  return new Promise((resolve, reject) => {
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
      resolve(exitCode ?? 128 + (SIGNAL_NUMBERS[signal!] ?? 0));
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
