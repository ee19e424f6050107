/**
 * Records a run while a machine executes it: a run derived from its history, or a simulated one. It observes machines:
 * pass its methods to the driver.
 */
import { type Applied, type InputBatch, chunkOfRef, type Command, type Input } from '../../../engine/machine';
import { compact, okOutcome, type TaskCall } from '../../../language/plan';
import { callText, Decider, limitsText } from '../decisions';
import { type Mark } from '../../drive';
import {
  type RecordedCall,
  type RecordedChunk,
  type RecordedMessage,
  type RecordedTimer,
  type Recording,
} from './recording';
import { CodedError } from '../../../language/errors';
import { type Beginning, Derivation, type DerivationOptions, type Pages } from '../../../history';

export class CallRecorder {
  readonly calls = new Map<string, RecordedCall>();
  /** Task run ids of sub-playbooks, by execution id. */
  readonly children = new Map<string, string>();
  readonly timers = new Map<string, RecordedTimer>();
  readonly continued: Mark[] = [];
  readonly chunks = new Map<string, RecordedChunk>();
  private readonly messages = new Map<string, RecordedMessage[]>();
  private readonly suggested: number[] = [];
  private readonly decider = new Decider();
  private batches = 0;
  private beginning: Pick<Recording, 'first' | 'opened' | 'startedAt'> | undefined;
  private lastAt = 0;
  isOver = false;

  applying(batch: InputBatch, chunk = ''): void {
    const number = this.batches++;
    if (!chunk) this.lastAt = Math.max(this.lastAt, batch.at);
    if (batch.continueAsNewSuggested && !chunk) this.suggested.push(number);
    for (const [position, input] of batch.inputs.entries())
      this.take(input, { batch: number, position, at: batch.at }, chunk);
  }

  applied(batch: InputBatch, applied: Applied, chunk = ''): void {
    const mark = { batch: this.batches - 1, position: batch.inputs.length, at: batch.at };
    for (const command of applied.commands)
      (NOTE[command.type] as ((r: CallRecorder, c: Command, mark: Mark) => void) | undefined)?.(
        this,
        command,
        mark,
      );
    if (chunk) this.chunkOf(chunk).lastAt = batch.at;
    this.decider.take(batch.at, applied);
  }

  private take(input: Input, mark: Mark, chunk: string): void {
    const take = TAKE[input.type] as
      | ((r: CallRecorder, i: Input, mark: Mark, chunk: string) => void)
      | undefined;
    if (take) return take(this, input, mark, chunk);
    const list = this.messages.get(chunk) ?? [];
    this.messages.set(chunk, list);
    list.push({ mark, input: JSON.stringify(input) });
  }

  begins(input: Input, mark: Mark): void {
    this.beginning ??= { first: structuredClone(input), opened: mark, startedAt: mark.at };
  }

  settled(taskRunId: string | undefined, end: NonNullable<RecordedCall['end']>): void {
    const call = taskRunId === undefined ? undefined : this.calls.get(taskRunId);
    if (call) call.end ??= end;
  }

  called(call: TaskCall, at: number): void {
    const { task_run_id, step, task, iteration, attempt, kind, lean } = call;
    this.calls.set(task_run_id, {
      call: { task_run_id, step, task, iteration, attempt, kind, lean },
      request: callText(call),
      limits: limitsText(call),
      requestedAt: at,
    });
  }

  chunkOf(id: string): RecordedChunk {
    const chunk = this.chunks.get(id) ?? { requestedAt: this.lastAt };
    this.chunks.set(id, chunk);
    return chunk;
  }

  /** What was recorded; undefined before the first input. */
  recording(beginning: Beginning): Recording | undefined {
    const { calls, timers, chunks, messages, continued, suggested, lastAt, isOver } = this;
    const recorded = { calls, timers, chunks, messages, continued, suggested, lastAt, isOver };
    const { decisions } = this.decider;
    return this.beginning && { ...beginning, ...this.beginning, ...recorded, decisions };
  }
}

const OK = JSON.stringify(okOutcome(null));

/** How inputs are recorded; those without an entry are external messages. */
const TAKE: {
  readonly [T in Input['type']]?: (
    r: CallRecorder,
    input: Extract<Input, { type: T }>,
    mark: Mark,
    chunk: string,
  ) => void;
} = {
  started: (r, input, mark) => r.begins(input, mark),
  rerun: (r, input, mark) => r.begins(input, mark),
  taskSettled: (r, { taskRunId, outcome }, mark) =>
    r.settled(taskRunId, { mark, outcome: JSON.stringify(outcome) }),
  childSettled: (r, { child, outcome }, mark) =>
    r.settled(r.children.get(child), { mark, outcome: JSON.stringify(outcome) }),
  childStarted: (r, { child, version, digest }, mark) => {
    const started = { ...compact({ version }), digest };
    r.settled(r.children.get(child), { mark, outcome: OK, started });
  },
  timerFired: (r, { key }, mark) => {
    const timer = r.timers.get(key);
    if (timer) timer.fired ??= mark;
  },
  continued: (r, input, mark) => {
    r.begins(input, mark);
    r.continued.push(mark);
  },
  chunkStarted: (r, _input, mark, chunk) => {
    r.chunkOf(chunk).started = mark;
  },
  chunkSettled: (r, { ref }, mark) => {
    r.chunkOf(chunkOfRef(ref)).settled = mark;
  },
  chunkTold: () => undefined,
  leaseEnded: () => undefined,
};

const cancels = (r: CallRecorder, id: string | undefined, at: number): void => {
  const call = id === undefined ? undefined : r.calls.get(id);
  if (call && !call.end) call.cancelledAt ??= at;
};

const ends = (r: CallRecorder): void => {
  r.isOver = true;
};

/** How commands are recorded. */
const NOTE: {
  readonly [T in Command['type']]?: (
    r: CallRecorder,
    command: Extract<Command, { type: T }>,
    mark: Mark,
  ) => void;
} = {
  runTask: (r, { call }, { at }) => r.called(call, at),
  runPlaybook: (r, { child, call }, { at }) => {
    r.children.set(child, call.task_run_id);
    r.called(call, at);
  },
  cancelTask: (r, { taskRunId }, { at }) => cancels(r, taskRunId, at),
  cancelPlaybook: (r, { child }, { at }) => cancels(r, r.children.get(child), at),
  startTimer: (r, { key, deadline }) => {
    if (!r.timers.has(key)) r.timers.set(key, { deadline });
  },
  cancelTimer: (r, { key }, mark) => {
    const timer = r.timers.get(key);
    if (timer && !timer.fired) timer.cancelled ??= mark;
  },
  runChunk: (r, { chunk }, { at }) => {
    r.chunks.set(chunk.id, { requestedAt: at });
  },
  cancelChunk: (r, { ref }) => {
    r.chunkOf(chunkOfRef(ref)).isCancelled = true;
  },
  complete: ends,
  fail: ends,
  cancelled: ends,
};

/**
 * The recording of an execution, from the histories of its runs.
 *
 * @throws CodedError `HISTORY` when this is not the history of a playbook, or this release does not reproduce it;
 *   `STORAGE_NOT_CONFIGURED`, `BLOB_UNAVAILABLE` when values it refers to cannot be fetched
 */
export async function readRecording(
  pages: Pages,
  { progress, ...options }: Pick<DerivationOptions, 'converter' | 'workflowId' | 'progress'> = {},
): Promise<Recording> {
  const recorder = new CallRecorder();
  let beginning: Beginning | undefined;
  let events = 0;
  const derivation = new Derivation({
    ...options,
    bodies: true,
    silent: true,
    watcher: {
      begins: ({ state, ...run }) => {
        beginning ??= { ...run, ...(state && { state: structuredClone(state) }) };
      },
      applying: (batch, chunk) => recorder.applying(batch, chunk),
      applied: (batch, applied, chunk) => {
        recorder.applied(batch, applied, chunk);
        progress?.((events += applied.events.length));
      },
    },
  });
  for await (const page of pages) await derivation.pass(page);
  if (derivation.divergence)
    throw new CodedError(
      'HISTORY',
      `this release does not reproduce the history: ${derivation.divergence.message}`,
    );
  const recording = beginning && recorder.recording(beginning);
  if (!recording) throw new CodedError('HISTORY', 'nothing has run yet: there are no events');
  return recording;
}
