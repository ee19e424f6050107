/**
 * Drives a chunk's machine inside of one activity (`exec: local`, D20): its tasks are calls of tools, its timers are
 * timers, its progress goes into heartbeats so that another worker goes on where this one died.
 */
import {
  type Batch,
  type Input,
  type LocalAnswer,
  type LocalInput,
  Machine,
  type RunTask,
} from '../../../src/engine';
import { type Outcome } from '../../../src/plan';

/** Waits up to this long happen inside of the activity; longer ones give the worker's place back. */
export const LONGEST_WAIT_MS = 5000;
/** Bytes of trace after which the activity ends with its state, and a next one goes on. */
export const MAX_TRACE_BYTES = 512 * 1024;

/** All that another worker needs to go on: heartbeat details. */
export interface Checkpoint {
  readonly machine: Machine['state'];
  readonly trace: readonly Batch[];
  /** Tasks under way: they run again. */
  readonly tasks: readonly RunTask[];
}

export interface LocalPort {
  /** Runs one task; whatever happens, the answer is an outcome. */
  run(task: RunTask, signal: AbortSignal): Promise<Outcome>;
  /** The progress so far. */
  checkpoint(checkpoint: Checkpoint): void;
  /** Aborted when the iteration is to stop. */
  readonly cancelled: AbortSignal;
  /** Rejects when the worker has to leave: the activity is then run again elsewhere, from the last checkpoint. */
  readonly leaving: Promise<never>;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Runs the chunk until it is over, or until it would wait for long.
 *
 * @param before the last checkpoint of a worker that died at it
 * @throws what `port.leaving` rejects with
 */
export async function driveLocal(
  input: LocalInput,
  before: Checkpoint | undefined,
  port: LocalPort,
): Promise<LocalAnswer> {
  const drive = new LocalDrive(input, before, port);
  try {
    return await Promise.race([drive.run(), port.leaving]);
  } finally {
    drive.release();
  }
}

class LocalDrive {
  private readonly machine: Machine;
  private readonly trace: Batch[];
  private traceBytes: number;
  private readonly tasks = new Map<string, { task: RunTask; stop: AbortController }>();
  private readonly timers = new Map<string, { deadline: number; handle: NodeJS.Timeout }>();
  private inputs: Input[] = [];
  private wake: () => void = () => undefined;
  private isOver = false;
  private readonly onCancel = (): void => this.push({ type: 'cancelRequested' });

  constructor(
    { plan, chunk, machine }: LocalInput,
    private readonly before: Checkpoint | undefined,
    private readonly port: LocalPort,
  ) {
    const state = before?.machine ?? machine;
    this.machine = state ? Machine.from(plan, state) : Machine.forChunk(plan, chunk, port.now());
    this.inputs.push({ type: state ? 'continued' : 'chunkStarted' });
    this.trace = [...(before?.trace ?? [])];
    this.traceBytes = JSON.stringify(this.trace).length;
  }

  async run(): Promise<LocalAnswer> {
    const { cancelled } = this.port;
    if (cancelled.aborted) this.onCancel();
    else cancelled.addEventListener('abort', this.onCancel, { once: true });
    for (const task of this.before?.tasks ?? []) this.start(task);
    for (;;) {
      const answer = this.step();
      if (answer) return answer;
      while (this.inputs.length === 0) {
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    }
  }

  /** Stops whatever is still under way. */
  release(): void {
    this.isOver = true;
    this.port.cancelled.removeEventListener('abort', this.onCancel);
    for (const { stop } of this.tasks.values()) stop.abort();
    for (const { handle } of this.timers.values()) clearTimeout(handle);
  }

  private push(input: Input): void {
    if (this.isOver) return;
    this.inputs.push(input);
    this.wake();
  }

  /** One batch of everything that came in; the answer when it was the last one here. */
  private step(): LocalAnswer | undefined {
    // A copy: the machine keeps parts of its inputs, and the trace must not change with them.
    const text = JSON.stringify(this.inputs);
    this.inputs = [];
    this.traceBytes += text.length;
    const batch: Batch = {
      at: this.port.now(),
      inputs: JSON.parse(text) as Input[],
      // As for a workflow with a long history: no task starts any more, and with the last one the activity ends.
      ...(this.traceBytes > MAX_TRACE_BYTES && { continueAsNewSuggested: true }),
    };
    this.trace.push({ ...batch, inputs: JSON.parse(text) as Input[] });
    for (const command of this.machine.apply(batch).commands) {
      switch (command.type) {
        case 'runTask':
          this.start(command);
          break;
        case 'cancelTask':
          this.tasks.get(command.taskRunId)?.stop.abort();
          break;
        case 'startTimer':
          this.startTimer(command.key, command.deadline);
          break;
        case 'cancelTimer':
          this.cancelTimer(command.key);
          break;
        case 'continueAsNew':
          return this.park(this.nextDeadline());
        case 'chunkEnded':
          return this.answer({ status: 'done', result: command.result });
        default:
          throw new Error(`a local chunk cannot ${command.type}`); // the compiler refuses such playbooks
      }
    }
    const { state } = this.machine;
    this.port.checkpoint({
      machine: state,
      trace: this.trace,
      tasks: [...this.tasks.values()].map(({ task }) => task),
    });
    if (this.tasks.size > 0) return undefined;
    const next = this.nextDeadline();
    return next - this.port.now() > LONGEST_WAIT_MS ? this.park(next) : undefined;
  }

  /** When the next timer fires; now, if there is none. */
  private nextDeadline(): number {
    const deadlines = [...this.timers.values()].map(({ deadline }) => deadline);
    return deadlines.length === 0 ? this.port.now() : Math.min(...deadlines);
  }

  private park(until: number): LocalAnswer {
    return this.answer({ status: 'parked', machine: this.machine.state, until });
  }

  private answer(settled: LocalAnswer['settled']): LocalAnswer {
    this.isOver = true;
    return { settled, trace: this.trace };
  }

  private start(task: RunTask): void {
    const id = task.call.task_run_id;
    const stop = new AbortController();
    this.tasks.set(id, { task, stop });
    void this.port.run(task, stop.signal).then((outcome) => {
      this.tasks.delete(id);
      this.push({ type: 'taskSettled', taskRunId: id, outcome });
    });
  }

  private startTimer(key: string, deadline: number): void {
    const handle = setTimeout(
      () => {
        this.timers.delete(key);
        this.push({ type: 'timerFired', key });
      },
      Math.max(0, Math.min(deadline - this.port.now(), 2 ** 31 - 1)),
    );
    this.timers.set(key, { deadline, handle });
  }

  private cancelTimer(key: string): void {
    clearTimeout(this.timers.get(key)?.handle);
    this.timers.delete(key);
  }
}
