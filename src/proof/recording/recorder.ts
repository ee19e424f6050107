/**
 * Makes a recording of a run while a machine goes through it: a run derived from its history, or a simulated one. An
 * observer of machines: hand its methods to whoever drives.
 */
import { type Applied, type Batch, chunkOfRef, type Command, type Input, type State } from '../../engine';
import { type Plan } from '../../plan';
import { askedBy, Decider } from '../decisions';
import { type Mark } from '../drive';
import {
  type RecordedCall,
  type RecordedChunk,
  type RecordedMessage,
  type RecordedTimer,
  type Recording,
} from './recording';

/** The beginning of a run. */
export interface Beginning {
  readonly plan: Plan;
  readonly executionId: string;
  readonly state?: State;
}

export class Recorder {
  private readonly calls = new Map<string, RecordedCall>();
  /** Task run ids of sub-playbooks, by execution id. */
  private readonly children = new Map<string, string>();
  private readonly timers = new Map<string, RecordedTimer>();
  private readonly chunks = new Map<string, RecordedChunk>();
  private readonly messages = new Map<string, RecordedMessage[]>();
  private readonly continued: Mark[] = [];
  private readonly suggested: number[] = [];
  private readonly decider = new Decider();
  private batches = 0;
  private first: Input | undefined;
  private startedAt = 0;
  private lastAt = 0;
  private isOver = false;

  applying(batch: Batch, chunk = ''): void {
    const number = this.batches++;
    if (!chunk) this.lastAt = Math.max(this.lastAt, batch.at);
    if (batch.continueAsNewSuggested && !chunk) this.suggested.push(number);
    for (const [position, input] of batch.inputs.entries())
      this.take(input, { batch: number, position, at: batch.at }, chunk);
  }

  applied(batch: Batch, applied: Applied, chunk = ''): void {
    const mark = { batch: this.batches - 1, position: batch.inputs.length, at: batch.at };
    for (const command of applied.commands) this.note(command, mark);
    if (chunk) this.chunkOf(chunk).lastAt = batch.at;
    this.decider.take(batch.at, applied);
  }

  private take(input: Input, mark: Mark, chunk: string): void {
    switch (input.type) {
      case 'started':
      case 'rerun':
        this.first = structuredClone(input);
        this.startedAt = mark.at;
        return;
      case 'taskSettled':
        return this.settled(input.taskRunId, { mark, outcome: JSON.stringify(input.outcome) });
      case 'childSettled':
        return this.settled(this.children.get(input.child), { mark, outcome: JSON.stringify(input.outcome) });
      case 'childStarted': {
        const { version, digest } = input;
        const started = { ...(version !== undefined && { version }), digest };
        return this.settled(this.children.get(input.child), { mark, outcome: OK, started });
      }
      case 'timerFired': {
        const timer = this.timers.get(input.key);
        if (timer) timer.fired ??= mark;
        return;
      }
      case 'continued':
        this.first ??= input;
        this.startedAt ||= mark.at;
        this.continued.push(mark);
        return;
      case 'chunkStarted':
        this.chunkOf(chunk).started = mark;
        return;
      case 'chunkSettled':
        this.chunkOf(chunkOfRef(input.ref)).settled = mark;
        return;
      case 'chunkTold':
      case 'leaseEnded':
        return;
      default: {
        const list = this.messages.get(chunk) ?? [];
        this.messages.set(chunk, list);
        list.push({ mark, input: JSON.stringify(input) });
      }
    }
  }

  private settled(taskRunId: string | undefined, end: NonNullable<RecordedCall['end']>): void {
    const call = taskRunId === undefined ? undefined : this.calls.get(taskRunId);
    if (call) call.end ??= end;
  }

  private note(command: Command, mark: Mark): void {
    switch (command.type) {
      case 'runPlaybook':
        this.children.set(command.child, command.call.task_run_id);
        return this.called(command, mark);
      case 'runTask':
        return this.called(command, mark);
      case 'cancelTask':
      case 'cancelPlaybook': {
        const id = command.type === 'cancelTask' ? command.taskRunId : this.children.get(command.child);
        const call = id === undefined ? undefined : this.calls.get(id);
        if (call && !call.end) call.cancelledAt ??= mark.at;
        return;
      }
      case 'startTimer': {
        const { key, deadline } = command;
        if (!this.timers.has(key)) this.timers.set(key, { deadline });
        return;
      }
      case 'cancelTimer': {
        const timer = this.timers.get(command.key);
        if (timer && !timer.fired) timer.cancelled ??= mark;
        return;
      }
      case 'runChunk':
        this.chunks.set(command.chunk.id, { ...this.chunks.get(command.chunk.id), requestedAt: mark.at });
        return;
      case 'cancelChunk':
        this.chunkOf(chunkOfRef(command.ref)).isCancelled = true;
        return;
      case 'complete':
      case 'fail':
      case 'cancelled':
        this.isOver = true;
        return;
      default:
    }
  }

  private called({ call }: Extract<Command, { type: 'runTask' | 'runPlaybook' }>, { at }: Mark): void {
    const { task_run_id, step, task, iteration, attempt, kind, lean } = call;
    this.calls.set(task_run_id, {
      call: { task_run_id, step, task, iteration, attempt, kind, lean },
      asked: askedBy(call),
      requestedAt: at,
    });
  }

  private chunkOf(id: string): RecordedChunk {
    const chunk = this.chunks.get(id) ?? { requestedAt: this.lastAt };
    this.chunks.set(id, chunk);
    return chunk;
  }

  /** What was recorded; undefined before the first input. */
  recording(beginning: Beginning): Recording | undefined {
    const { first, startedAt, lastAt, isOver, calls, timers, chunks, messages, continued, suggested } = this;
    if (!first) return undefined;
    const { decisions } = this.decider;
    return {
      ...beginning,
      first,
      startedAt,
      lastAt,
      isOver,
      calls,
      timers,
      chunks,
      messages,
      continued,
      suggested,
      decisions,
    };
  }
}

const OK = JSON.stringify({ status: 'ok', result: null, error: null, meta: {} });
