/**
 * Drives a leased machine inside one activity (`exec: local`): its tasks call tools, its timers are timers. Its batches
 * go into heartbeats, so that another worker can continue after a crash.
 */
import {
  type InputBatch,
  type Command,
  type Input,
  type LeaseAnswer,
  type LeaseInput,
  Machine,
  packInput,
  type RunTask,
  unpackTrace,
} from '../../../src/engine/machine';
import { jsonSize, type Outcome } from '../../../src/language/plan';

/** How long new tasks are started: other inputs of the execution wait for the machine's return. */
export const LEASE_MS = 3000;
/** Size of the trace in bytes above which no task is started: the result must fit into history. */
const MAX_TRACE_BYTES = 200 * 1024;
/** Maximum wait on lease; a longer one returns the machine and frees the worker's slot. */
const LONGEST_WAIT_MS = 1000;

export interface LeasePort {
  /** Runs one task; always returns an outcome. */
  run(task: RunTask, signal: AbortSignal): Promise<Outcome>;
  /** Aborted when the execution must stop. */
  readonly cancelled: AbortSignal;
  /** Rejects when the worker must shut down: the activity is then rerun elsewhere, from the last heartbeat. */
  readonly leaving: Promise<never>;
  /** Milliseconds since the epoch. */
  now(): number;
}

export class LeaseDrive {
  private readonly machine: Machine;
  private readonly trace: LeaseAnswer['trace'][number][] = [];
  private traceSize = 0;
  /** Requested but not started. */
  private readonly due = new Map<string, RunTask>();
  private readonly running = new Map<string, AbortController>();
  private readonly timers = new Map<string, { readonly deadline: number; readonly handle: NodeJS.Timeout }>();
  private inputs: Input[] = [];
  private wake: () => void = () => undefined;
  private readonly until: number;
  private readonly pool: string | undefined;
  /** Nothing new is started: running tasks finish, and the machine returns. */
  private isEnding = false;
  private readonly onCancel = (): void => this.push({ type: 'cancelRequested' });

  /** @param before the last report of a lost worker */
  constructor(
    { plan, state, tasks, pool }: LeaseInput,
    before: LeaseAnswer | undefined,
    private readonly port: LeasePort,
  ) {
    this.pool = pool;
    this.until = port.now() + LEASE_MS;
    this.machine = Machine.onLease(plan, state);
    for (const task of tasks) this.due.set(task.call.task_run_id, task);
    for (const [key, { deadline }] of Object.entries(state.timers)) this.startTimer(key, deadline);
    for (const [place, batch] of (before ? unpackTrace(before) : []).entries()) {
      this.keep(before!.trace[place]!);
      for (const input of batch.inputs) {
        if (input.type === 'taskSettled') this.due.delete(input.taskRunId);
        else if (input.type === 'timerFired') this.cancelTimer(input.key);
      }
      this.apply(batch);
    }
  }

  /** The batches applied so far. */
  get answer(): LeaseAnswer {
    return { trace: this.trace };
  }

  /**
   * Runs tasks until the lease is over.
   *
   * @throws the rejection of `port.leaving`
   */
  async run(): Promise<LeaseAnswer> {
    const { cancelled, leaving } = this.port;
    if (cancelled.aborted) this.onCancel();
    else cancelled.addEventListener('abort', this.onCancel, { once: true });
    try {
      for (;;) {
        if (this.inputs.length > 0) this.take();
        this.begin();
        if (this.isOver()) return this.answer;
        if (this.inputs.length === 0) {
          await Promise.race([new Promise<void>((resolve) => (this.wake = resolve)), leaving]);
        }
      }
    } finally {
      cancelled.removeEventListener('abort', this.onCancel);
      for (const stop of this.running.values()) stop.abort();
      for (const { handle } of this.timers.values()) clearTimeout(handle);
    }
  }

  private push(input: Input): void {
    this.inputs.push(input);
    this.wake();
  }

  /** Applies one batch of everything received. */
  private take(): void {
    const at = this.port.now();
    const { inputs } = this;
    this.inputs = [];
    if (inputs.some(({ type }) => type === 'cancelRequested')) this.isEnding = true;
    this.keep({ at, inputs: inputs.map(packInput) });
    this.apply({ at, inputs });
  }

  private keep(batch: LeaseAnswer['trace'][number]): void {
    this.traceSize += jsonSize(batch);
    this.trace.push(batch);
  }

  private apply(batch: InputBatch): void {
    for (const command of this.machine.advance(batch)) this.perform(command);
  }

  private perform(command: Command): void {
    switch (command.type) {
      case 'runTask':
        if (command.local && command.pool === this.pool) this.due.set(command.call.task_run_id, command);
        else this.isEnding = true;
        break;
      case 'cancelTask':
        this.due.delete(command.taskRunId);
        this.running.get(command.taskRunId)?.abort();
        break;
      case 'startTimer':
        this.startTimer(command.key, command.deadline);
        break;
      case 'cancelTimer':
        this.cancelTimer(command.key);
        break;
      default:
        // Things that only the workflow can do or see.
        this.isEnding = true;
    }
  }

  private begin(): void {
    this.isEnding ||= this.port.now() >= this.until || this.traceSize >= MAX_TRACE_BYTES;
    if (this.isEnding) return;
    for (const [id, task] of this.due) {
      const stop = new AbortController();
      this.running.set(id, stop);
      void this.port.run(task, stop.signal).then((outcome) => {
        this.running.delete(id);
        this.push({ type: 'taskSettled', taskRunId: id, outcome });
      });
    }
    this.due.clear();
  }

  private isOver(): boolean {
    if (this.running.size > 0 || this.inputs.length > 0) return false;
    const soon = this.port.now() + LONGEST_WAIT_MS;
    return this.isEnding || ![...this.timers.values()].some(({ deadline }) => deadline <= soon);
  }

  private startTimer(key: string, deadline: number): void {
    const fire = (): void => {
      this.timers.delete(key);
      this.push({ type: 'timerFired', key });
    };
    const delay = Math.max(0, Math.min(deadline - this.port.now(), 2 ** 31 - 1));
    this.timers.set(key, { deadline, handle: setTimeout(fire, delay) });
  }

  private cancelTimer(key: string): void {
    clearTimeout(this.timers.get(key)?.handle);
    this.timers.delete(key);
  }
}
