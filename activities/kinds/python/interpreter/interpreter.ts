/** One warm Python (activities/kinds/python/warm.py), which forks a process per task. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import path from 'node:path';
import { TailBuffer } from '../../../framework/tool/bounded';
import { runInBackground } from '../../../framework/process/background';
import { only } from '../../../framework/process/descriptors';
import { signalGroup } from '../../../framework/process/group';
import { endMarked, MARK, MARK_LENGTH, newMark } from '../../../framework/process/marks';
import { type Print } from '../../../framework/tool/tool';
import { encodeFrame, InterpreterFrameReader, type InterpreterFrame } from './frames';
import { MAX_VALUE_SIZE } from '../../../../src/language/plan';

/** How a task's process ended. */
export interface Ended {
  /** The runner's answer; empty if the process ended before, or if it is too large to be any task's result. */
  readonly answer: Buffer;
  /** Bytes of an answer that is too large: it was not kept. */
  readonly tooLarge?: number;
  readonly exit: number | null;
  readonly signal: number | null;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The interpreter itself died, and the task with it. */
  readonly lost?: true;
}

export interface Output {
  /** The end of the output. */
  readonly tail: Buffer;
  /** Bytes written in all. */
  readonly total: number;
}

interface Running {
  readonly mark: string;
  /** Absent in a sandbox, whose process numbers mean nothing here. */
  pid?: number;
  pieces: Buffer[];
  /** Bytes of the answer so far. */
  size: number;
  print: Print | undefined;
  resolve(ended: Ended): void;
}

/** The program of a warm interpreter. */
export const WARM = path.join(__dirname, '..', 'warm.py');
const START_LIMIT_MS = 30_000;
/** After a stop the interpreter sends SIGTERM, and SIGKILL a second later; if it does neither, it hangs. */
const STOP_LIMIT_MS = 5_000;
/** Three times the largest result (`MAX_VALUE_SIZE`): Python writes what is not ASCII as escapes of up to three times its size. */
export const MAX_ANSWER_BYTES = 3 * MAX_VALUE_SIZE;
const EMPTY: Output = { tail: Buffer.alloc(0), total: 0 };

export class WarmInterpreter {
  private readonly running = new Map<number, Running>();
  private readonly reader = new InterpreterFrameReader();
  private readonly stderr = new TailBuffer(4096);
  private nextId = 1;
  private dead = false;
  private hello?: () => void;
  private failStart?: (error: Error) => void;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.on('data', (chunk: Buffer) => {
      for (const frame of this.reader.push(chunk)) this.receive(frame);
    });
    child.stderr.on('data', (chunk: Buffer) => this.stderr.push(chunk));
    child.stdin.on('error', () => undefined); // EPIPE: 'exit' follows with more details
    child.on('error', (error) => this.failStart?.(error));
    child.on('exit', (code, signal) => this.onExit(code, signal));
  }

  /**
   * Starts a Python on `WARM` and waits until it is ready.
   *
   * @param command a Python, or a whole command line
   * @throws the spawn error, or one with its stderr
   */
  static async start(command: string | readonly string[], env: NodeJS.ProcessEnv): Promise<WarmInterpreter> {
    const [program = '', ...args] = typeof command === 'string' ? [command, WARM] : command;
    // Its own process group: the worker handles a Ctrl-C in the terminal.
    const child = spawn(program, args, {
      env: { ...env, [MARK]: '.'.repeat(MARK_LENGTH) },
      stdio: only(['pipe', 'pipe', 'pipe']),
      detached: true,
    }) as ChildProcessWithoutNullStreams;
    runInBackground(child.pid);
    const interpreter = new WarmInterpreter(child);
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        interpreter.hello = resolve;
        interpreter.failStart = reject;
        timer = setTimeout(
          () => reject(new Error(`it was not ready after ${START_LIMIT_MS / 1000} s`)),
          START_LIMIT_MS,
        );
      });
    } catch (error) {
      interpreter.kill();
      throw error;
    } finally {
      clearTimeout(timer);
      interpreter.failStart = undefined;
    }
    return interpreter;
  }

  get alive(): boolean {
    return !this.dead;
  }

  get load(): number {
    return this.running.size;
  }

  /**
   * Runs one task to its end, passing its output to `print`; an abort stops its process group, then the promise
   * settles as for any end.
   */
  run(task: Buffer, signal: AbortSignal, print?: Print): Promise<Ended> {
    const id = this.nextId++;
    return new Promise<Ended>((resolve) => {
      let limit: NodeJS.Timeout | undefined;
      const stop = (): void => {
        this.send(id, 'K', Buffer.alloc(0));
        limit = setTimeout(() => this.kill(), STOP_LIMIT_MS);
      };
      const mark = newMark();
      this.running.set(id, {
        mark,
        pieces: [],
        size: 0,
        print,
        resolve(ended) {
          clearTimeout(limit);
          signal.removeEventListener('abort', stop);
          resolve(ended);
        },
      });
      this.send(id, 'M', Buffer.from(mark));
      this.send(id, print ? 'L' : 'T', task);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      if (this.dead) this.loseAll();
    });
  }

  /** Kills the interpreter and all its tasks. */
  kill(): void {
    if (this.child.pid !== undefined) signalGroup(this.child.pid, 'SIGKILL');
    if (this.dead) this.loseAll();
  }

  /** Ends an idle interpreter: it exits when its input ends. */
  async close(): Promise<void> {
    if (this.dead) return;
    const exit = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    this.child.stdin.end();
    const timer = setTimeout(() => this.kill(), 2000);
    await exit;
    clearTimeout(timer);
  }

  private send(id: number, type: string, payload: Buffer): void {
    if (!this.dead) this.child.stdin.write(encodeFrame(id, type, payload));
  }

  private receive(frame: InterpreterFrame): void {
    if (frame.type === 'H') {
      this.hello?.();
      return;
    }
    const task = this.running.get(frame.id);
    if (!task) return;
    if (frame.type === 'R') keep(task, frame.payload);
    else if (frame.type === 'O') task.print?.('stdout', Buffer.from(frame.payload));
    else if (frame.type === 'E') task.print?.('stderr', Buffer.from(frame.payload));
    else if (frame.type === 'S') task.pid = (JSON.parse(frame.payload.toString()) as { pid?: number }).pid;
    else if (frame.type === 'X') {
      this.running.delete(frame.id);
      task.resolve(ended(task, frame.payload));
    }
  }

  private onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.dead = true;
    const how = signal ? `was killed by ${signal}` : `ended with exit code ${code}`;
    this.failStart?.(new Error(`it ${how}${this.stderr.toString() && `: ${this.stderr.toString().trim()}`}`));
    this.loseAll();
  }

  /** Tasks whose parent died would continue unsupervised: they are killed, and end as lost. */
  private loseAll(): void {
    for (const [id, task] of this.running) {
      this.running.delete(id);
      if (task.pid !== undefined) {
        signalGroup(task.pid, 'SIGKILL');
        void endMarked(task.mark);
      }
      task.resolve({
        answer: Buffer.alloc(0),
        exit: null,
        signal: null,
        stdout: EMPTY,
        stderr: EMPTY,
        lost: true,
      });
    }
  }
}

/** Reading what no task may return would hold up the heartbeats of all tasks of this worker. */
function keep(task: Running, payload: Buffer): void {
  task.size += payload.length;
  if (task.size > MAX_ANSWER_BYTES) task.pieces = [];
  else task.pieces.push(Buffer.from(payload));
}

function ended({ pieces, size }: Running, payload: Buffer): Ended {
  const end = JSON.parse(payload.toString()) as {
    exit: number | null;
    signal: number | null;
    stdout: string;
    stdout_total: number;
    stderr: string;
    stderr_total: number;
  };
  return {
    answer: Buffer.concat(pieces),
    ...(size > MAX_ANSWER_BYTES && { tooLarge: size }),
    exit: end.exit,
    signal: end.signal,
    stdout: { tail: Buffer.from(end.stdout, 'base64'), total: end.stdout_total },
    stderr: { tail: Buffer.from(end.stderr, 'base64'), total: end.stderr_total },
  };
}
