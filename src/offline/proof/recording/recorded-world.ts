/**
 * A recording as the world of a simulation: identical calls get the recorded answer after the recorded duration, and
 * messages arrive at the corresponding time. Calls that the recording cannot answer stay open and are listed.
 */
import { type Input } from '../../../engine/machine';
import {
  compact,
  declarationOf,
  groupBy,
  KEYCHAIN_KIND,
  type Outcome,
  secondsOf,
  type TaskCall,
} from '../../../language/plan';
import { tieReference } from '../../../storage/payloads';
import { callText } from '../decisions';
import {
  type WorldAnswer,
  type Awaited,
  CANCELLED,
  type Due,
  type Happening,
  type Mark,
  type Next,
  type World,
} from '../../drive';
import { type RecordedCall, type RecordedMessage, type Recording, recordedOutcome } from './recording';
import { type Renamed } from './renamed';

export type WhyUnanswered =
  /** The recording has no such call. */
  | 'new'
  /** The call differs from the recorded one. */
  | 'changed'
  /** The recording ends before the call did. */
  | 'open'
  /** The recorded run cancelled the call. */
  | 'cancelled'
  /** The call now has less time than the recorded answer took. */
  | 'too late'
  /** Nothing read those parts of the answer, so history omits them. */
  | 'not recorded';

export interface UnansweredCall {
  readonly call: TaskCall;
  /** What it asks for (`requestOf`). */
  readonly request: string;
  readonly why: WhyUnanswered;
  /** The call at that place of the recording, if there is one. */
  readonly recorded?: RecordedCall;
  /** The members of the result that were not recorded. */
  readonly parts?: readonly string[];
}

/** Answers that are not from the recording. */
export interface Supplied {
  /** Takes precedence over the recording; `recorded`: the answer recorded at that place, even if the call has changed. */
  instead?(call: TaskCall): Pick<WorldAnswer, 'outcome' | 'after'> | 'recorded' | undefined;
  /** For calls that the recording cannot answer. */
  otherwise?(call: TaskCall): Pick<WorldAnswer, 'outcome' | 'after'> | undefined;
}

export class RecordedWorld implements World {
  readonly unanswered: UnansweredCall[] = [];
  /** Every answered call, in order. */
  readonly given: { readonly call: TaskCall; readonly answer: WorldAnswer }[] = [];
  /** Calls answered by a different, identical call of the recording. */
  readonly moved: { readonly call: TaskCall; readonly from: string }[] = [];
  private readonly byAsked: ReadonlyMap<string, readonly string[]>;
  private readonly used = new Set<string>();

  constructor(
    readonly recording: Recording,
    readonly names: Renamed,
    private readonly supplied: Supplied = {},
  ) {
    this.byAsked = groupBy(recording.calls.keys(), (id) => recording.calls.get(id)!.request);
    this.messages = new Messages(recording, '');
  }

  private messages: Messages;

  /** The first batch: the first input, and the messages that came with it, for example a pause. */
  opening(first: Input): Input[] {
    const { opened } = this.recording;
    const messages = this.messages.until(opened.batch);
    const [before, after] = [messages.filter(({ mark }) => isEarlier(mark, opened)), messages].map((list) =>
      list.map(({ input }): Input => JSON.parse(input)),
    );
    return [...before!, first, ...after!.slice(before!.length)];
  }

  within(chunk: string): World {
    const messages = new Messages(this.recording, this.names.id(chunk));
    return {
      answer: (call) => this.answer(call),
      cancelled: (call) => this.cancelled(call),
      due: (awaited, at) => this.due(awaited, at),
      next: (happenings, at) => messages.next(happenings, at),
    };
  }

  next(happenings: readonly Happening[], at: number): Next | undefined {
    return this.messages.next(happenings, at);
  }

  keychain(call: TaskCall): WorldAnswer | undefined {
    return this.answer(call);
  }

  answer(call: TaskCall): WorldAnswer | undefined {
    const answer = this.find(call);
    if (answer) this.given.push({ call, answer });
    return answer;
  }

  private find(call: TaskCall): WorldAnswer | undefined {
    const instead = this.supplied.instead?.(call);
    if (instead && instead !== 'recorded') return instead;
    const id = this.names.id(call.task_run_id);
    const request = this.names.request(callText(call));
    const original = this.recording.calls.get(id);
    const isSame = original?.request === request || (original !== undefined && instead === 'recorded');
    const from = isSame ? id : this.elsewhere(id, request, call);
    if (from === undefined) return this.lacks(call, original ? 'changed' : 'new', original);
    this.used.add(from);
    if (from !== id) this.moved.push({ call, from });
    const source = this.recording.calls.get(from);
    return source && this.recorded(call, source, from === id);
  }

  /** An unused identical call: of the same pass through the pipeline, else of the same step, else anywhere. */
  private elsewhere(id: string, request: string, { kind }: TaskCall): string | undefined {
    if (kind === KEYCHAIN_KIND) return undefined;
    const free = (this.byAsked.get(request) ?? []).filter((one) => !this.used.has(one));
    if (free.length === 0) return undefined;
    const near = (scope: string): string | undefined => free.find((one) => one.startsWith(scope));
    return near(id.slice(0, id.lastIndexOf('.'))) ?? near(id.slice(0, id.indexOf('#') + 1)) ?? free[0];
  }

  private recorded(call: TaskCall, original: RecordedCall, isInPlace: boolean): WorldAnswer | undefined {
    const { end, requestedAt, cancelledAt } = original;
    if (!end) return this.lacks(call, cancelledAt === undefined ? 'open' : 'cancelled', original);
    const outcome = recordedOutcome(end);
    if (cancelledAt !== undefined && outcome.error?.kind === 'cancelled')
      return this.lacks(call, 'cancelled', original);
    const after = end.mark.at - requestedAt;
    const total = limitOf(call);
    if (total !== undefined && outcome.status === 'ok' && after > total * 1000)
      return this.lacks(call, 'too late', original);
    const parts = notRecorded(call, outcome);
    if (parts.length > 0) return this.lacks(call, 'not recorded', original, parts);
    const { ref } = outcome.meta;
    if (ref) tieReference(outcome.result, ref as never);
    return {
      outcome,
      after,
      ...(isInPlace && { mark: end.mark }),
      ...(end.started && { started: end.started }),
    };
  }

  private lacks(
    call: TaskCall,
    why: WhyUnanswered,
    recorded?: RecordedCall,
    parts?: readonly string[],
  ): WorldAnswer | undefined {
    const supplied = this.supplied.otherwise?.(call);
    if (supplied) return supplied;
    this.unanswered.push({
      call,
      request: callText(call),
      why,
      ...(recorded && { recorded }),
      ...compact({ parts }),
    });
    return undefined;
  }

  /** Ends as the cancellation in the recorded run did; a call that only the new version cancels ends at once. */
  cancelled(call: TaskCall): WorldAnswer {
    const original = this.recording.calls.get(this.names.id(call.task_run_id));
    if (original?.cancelledAt === undefined || !original.end) return { outcome: CANCELLED, after: 0 };
    const open = this.unanswered.findIndex((one) => one.call.task_run_id === call.task_run_id);
    if (open >= 0) this.unanswered.splice(open, 1);
    const { mark } = original.end;
    return { outcome: recordedOutcome(original.end), after: mark.at - original.cancelledAt, mark };
  }

  due(awaited: Awaited, at: number): Due | undefined {
    const { chunks, continued } = this.recording;
    switch (awaited.type) {
      case 'timer':
        return this.timer(awaited.key, awaited.deadline);
      case 'chunkStart': {
        const { started, requestedAt = at } = chunks.get(this.names.id(awaited.chunk)) ?? {};
        return { at: at + (started ? started.at - requestedAt : 0) };
      }
      case 'chunkEnd': {
        const { settled, lastAt, isCancelled } = chunks.get(this.names.id(awaited.chunk)) ?? {};
        if (!settled || lastAt === undefined) return { at };
        return { at: at + settled.at - lastAt, mark: settled, ...(isCancelled && { isCancelled }) };
      }
      case 'continued': {
        const mark = continued.find(({ batch }) => batch > this.messages.batch);
        return mark ? { at: at + Math.max(0, mark.at - this.messages.recordedAt), mark } : { at };
      }
    }
  }

  /** With the same delay as in the recording. */
  private timer(key: string, deadline: number): Due | undefined {
    const timer = this.recording.timers.get(this.names.id(key));
    if (!timer) return { at: deadline };
    const mark = timer.fired ?? timer.cancelled;
    // In an unfinished run its time is unknown; if it was cancelled, it fires only if the new version does not cancel it.
    if (!mark) return this.recording.isOver ? { at: deadline } : undefined;
    return { at: deadline + Math.max(0, mark.at - timer.deadline), mark };
  }
}

/** Time limit of one call of the tool in seconds; undefined: the default of its kind. */
function limitOf({ config, timeout }: TaskCall): number | undefined {
  return secondsOf(config['timeout_seconds'] ?? config['timeout'] ?? null) ?? timeout.total;
}

/** Members of the result that the recorded playbook did not read, and that this one may. */
function notRecorded({ kind, lean }: TaskCall, outcome: Outcome): readonly string[] {
  if (lean || outcome.meta['not_recorded'] !== true) return [];
  return declarationOf(kind)?.details ?? [];
}

/** Picks the next event: the earliest one scheduled, in recorded order where times are equal. */
class Messages {
  private readonly messages: readonly RecordedMessage[];
  private readonly suggested: readonly number[];
  private nextMessage = 0;
  private nextSuggested = 0;
  /** The last recorded batch of which anything occurred, and its recorded time. */
  batch = -1;
  recordedAt: number;
  /** Current delay relative to the recording, in milliseconds. */
  private shift = 0;

  constructor(recording: Recording, chunk: string) {
    this.messages = recording.messages.get(chunk) ?? [];
    this.suggested = chunk ? [] : recording.suggested;
    this.recordedAt = recording.startedAt;
  }

  next(happenings: readonly Happening[], now: number): Next | undefined {
    const first = happenings.reduce<Happening | undefined>(
      (a, b) => (a === undefined || isBefore(b, a) ? b : a),
      undefined,
    );
    const message = this.messages[this.nextMessage];
    // A message arrives after everything that preceded it in the recording.
    const isHeld = message && happenings.some(({ mark }) => mark && mark.batch < message.mark.batch);
    if (message && !isHeld) {
      const at = Math.max(now, message.mark.at + this.shift);
      if (!first || at < first.at || (at === first.at && message.mark.batch <= batchOf(first)))
        return this.group(happenings, message.mark.batch, at);
    }
    if (!first) return undefined;
    if (first.mark) return this.group(happenings, first.mark.batch, first.at);
    return { at: first.at, happenings: [first], inputs: [first.input] };
  }

  /** Skips the messages of the batches up to that one, which are passed separately. */
  until(batch: number): readonly RecordedMessage[] {
    while ((this.messages[this.nextMessage]?.mark.batch ?? Infinity) <= batch) this.nextMessage++;
    return this.messages.slice(0, this.nextMessage);
  }

  /** Everything of a recorded batch that occurs at that time. */
  private group(happenings: readonly Happening[], batch: number, at: number): Next {
    const group = happenings.filter((one) => one.mark?.batch === batch && one.at <= at);
    const inputs = group.map(({ input, mark }) => ({ position: mark?.position ?? 0, input }));
    for (
      let one = this.messages[this.nextMessage];
      one?.mark.batch === batch;
      one = this.messages[++this.nextMessage]
    )
      inputs.push({ position: one.mark.position, input: JSON.parse(one.input) });
    const recorded = group[0]?.mark?.at ?? this.messages[this.nextMessage - 1]?.mark.at ?? at;
    this.shift = at - recorded;
    this.recordedAt = recorded;
    this.batch = batch;
    let continueAsNewSuggested = false;
    for (; (this.suggested[this.nextSuggested] ?? Infinity) <= batch; this.nextSuggested++)
      continueAsNewSuggested = true;
    inputs.sort((a, b) => a.position - b.position);
    return {
      at,
      happenings: group,
      inputs: inputs.map(({ input }) => input),
      ...(continueAsNewSuggested && { continueAsNewSuggested }),
    };
  }
}

function isEarlier(a: Mark, b: Mark): boolean {
  return a.batch < b.batch || (a.batch === b.batch && a.position < b.position);
}

function isBefore(a: Happening, b: Happening): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return batchOf(a) < batchOf(b);
}

function batchOf({ mark }: Happening): number {
  return mark?.batch ?? Infinity;
}
