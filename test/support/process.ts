/** Child processes of tests: started by argument list, ended by process id, never left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

/** The same for the sources and for what they are compiled to. */
export const ROOT = path.resolve(
  __dirname.replace(/([\\/])dist([\\/]test[\\/]support)$/, '$1$2'),
  '..',
  '..',
);
export const CLI = path.join(ROOT, 'dist', 'src', 'cli', 'main.js');

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Everything said so far on both streams. */
  output(): string;
  /** Resolves when the output contains `text`. */
  says(text: string | RegExp, limitMs?: number): Promise<void>;
}

const alive = new Set<ChildProcess>();
process.once('exit', () => alive.forEach((child) => child.kill('SIGKILL')));

/** Starts a program, in the root of the repository unless another folder is named. */
export function start(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd: string = ROOT,
): Running {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      alive.delete(child);
      resolve({ code, signal, stdout, stderr });
    });
  });
  const matches = (text: string | RegExp): boolean => {
    const said = stdout + stderr;
    return typeof text === 'string' ? said.includes(text) : text.test(said);
  };
  return {
    child,
    finished,
    output: () => stdout + stderr,
    async says(text, limitMs = 60_000) {
      const deadline = Date.now() + limitMs;
      while (!matches(text)) {
        if (Date.now() > deadline || child.exitCode !== null) {
          throw new Error(`never said ${String(text)}; it said:\n${stdout}\n${stderr}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

/** Runs our command line to its end. */
export function noetl(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return start(process.execPath, [CLI, ...args], env).finished;
}
