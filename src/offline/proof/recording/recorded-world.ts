/**
 * A recording as the world of a simulation: identical calls get the recorded answer after the recorded duration, and
 * messages arrive at the corresponding time. Calls that the recording cannot answer stay open and are listed.
 */
import { type Evaluator, type Input } from '../../../engine/machine';
import {
  compact,
  groupBy,
  isMapping,
  isWithin,
  type JsonObject,
  okOutcome,
  limitCallOf,
  type Outcome,
  type TaskCall,
  taskFrameIn,
} from '../../../language/plan';
import { evaluate } from '../../../language/template/runtime';
import { tieReference } from '../../../storage/payloads';
import { callText, limitsText, valueOf } from '../decisions';
import {
  type WorldAnswer,
  type Awaited,
  CANCELLED,
  type Due,
  type Happening,
  type LimitAnswers,
  type Next,
  type World,
} from '../../drive';
import { isEarlier, limitAnswerIn, Messages } from './messages';
import { type Omission, omissionIn, omissionRead, withMarks } from './omitted';
import { type RecordedCall, type Recording, recordedOutcome } from './recording';
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
  /** The call now has less time than the recorded answer took, or more than the recorded one, which ran out of it. */
  | 'too late'
  /** The version reads parts of the answer that history omits, because nothing read them. */
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
  /** Until then it is known that it has not ended: milliseconds since the epoch. */
  readonly until: number;
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
  private readonly messages: Messages;

  constructor(
    readonly recording: Recording,
    readonly names: Renamed,
    private readonly supplied: Supplied = {},
    /** Of these calls the version reads omitted parts, as an earlier attempt has shown. */
    private readonly withheld: ReadonlyMap<string, string> = new Map(),
  ) {
    this.byAsked = groupBy(recording.calls.keys(), (id) => recording.calls.get(id)!.request);
    this.messages = new Messages(recording, '');
  }

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
      answer: (call, at) => this.answer(call, at),
      limit: (call, at) => this.limit(call, at),
      cancelled: (call) => this.cancelled(call),
      due: (awaited, at) => this.due(awaited, at),
      next: (happenings, at) => (this.misread ? undefined : messages.next(this.certain(happenings), at)),
    };
  }

  next(happenings: readonly Happening[], at: number): Next | undefined {
    return this.misread ? undefined : this.messages.next(this.certain(happenings), at);
  }

  /** Without the time limits of calls of which nothing is known: they may have ended before. */
  private certain(happenings: readonly Happening[]): readonly Happening[] {
    const isCertain = ({ at, input }: Happening): boolean =>
      input.type !== 'timerFired' ||
      !this.unanswered.some(({ call, until }) => isLimitOf(input.key, call) && at > until + ROUNDING);
    return this.unanswered.length === 0 ? happenings : happenings.filter(isCertain);
  }

  /** The first omitted part that the version reads: from there on nothing is known, unless its call stays open. */
  misread: Omission | undefined;
  /** The answers with marks, as they were recorded. */
  private readonly unmarked = new Map<WorldAnswer, Outcome>();

  readonly evaluate: Evaluator = (template, scope, environment, strict) => {
    if (this.unmarked.size > 0) this.misread ??= omissionRead(template, scope);
    return evaluate(template, scope, environment, strict);
  };

  /** The check of other entries is another decision. */
  keychain(call: TaskCall, at: number): WorldAnswer | undefined {
    const original = this.recording.calls.get(call.task_run_id);
    return original ? this.recorded({ call, at }, original, true) : this.lacks({ call, at }, 'new');
  }

  /** A keeper that the recorded run did not ask lets everything pass (`Keepers`). */
  limit(call: TaskCall, at: number): LimitAnswers | undefined {
    const id = this.names.id(call.task_run_id);
    const { keeper } = limitCallOf(call.config);
    const original = this.recording.calls.get(id);
    if (!original || keeperOf(original) !== keeper) return undefined;
    const answers = [...this.recording.messages.values()].flat().flatMap(({ mark, input }): Happening[] => {
      const answer = limitAnswerIn(input);
      const isMeant = answer?.keeper === keeper && ('ref' in answer ? answer.ref === id : true);
      return isMeant ? [{ at: at + mark.at - original.requestedAt, mark, input: JSON.parse(input) }] : [];
    });
    return { delivered: this.recorded({ call, at }, original, true), answers };
  }

  answer(call: TaskCall, at: number): WorldAnswer | undefined {
    const answer = this.find(call, at);
    if (answer)
      this.given.push({ call, answer: { ...answer, ...compact({ outcome: this.unmarked.get(answer) }) } });
    return answer;
  }

  private find(call: TaskCall, at: number): WorldAnswer | undefined {
    const instead = this.supplied.instead?.(call);
    if (instead && instead !== 'recorded') return instead;
    const id = this.names.id(call.task_run_id);
    const request = this.names.request(callText(call));
    const original = this.recording.calls.get(id);
    if (original && instead === 'recorded')
      return this.recorded({ call, at, isWanted: true }, original, true);
    const from = original?.request === request ? id : this.elsewhere(id, request);
    const none = from === undefined && call.claim ? this.noRows(request) : undefined;
    if (none) return { outcome: none, after: 0 };
    if (from === undefined) return this.missing({ call, at }, original);
    if (from !== id) this.moved.push({ call, from });
    return this.recorded({ call, at }, this.recording.calls.get(from)!, from === id);
  }

  /** The answer of a claim that found nothing: nor would one more of the same. */
  private noRows(request: string): Outcome | undefined {
    const ends = (this.byAsked.get(request) ?? []).flatMap((id) => this.recording.calls.get(id)!.end ?? []);
    return ends.map(recordedOutcome).find(({ status, result }) => {
      const rows = isMapping(result) ? result['rows'] : result;
      return status === 'ok' && Array.isArray(rows) && rows.length === 0;
    });
  }

  private missing(query: Query, original: RecordedCall | undefined): undefined | WorldAnswer {
    const omission = omissionIn(valueOf(callText(query.call)));
    if (omission) this.misread ??= omission;
    return this.lacks(query, original ? 'changed' : 'new', original);
  }

  /** An unused identical call: of the same pass through the pipeline, else of the same step, else anywhere. */
  private elsewhere(id: string, request: string): string | undefined {
    const free = (this.byAsked.get(request) ?? []).filter((one) => !this.used.has(one));
    if (free.length === 0) return undefined;
    const near = (scope: string): string | undefined => free.find((one) => one.startsWith(scope));
    return near(taskFrameIn(id)) ?? near(id.slice(0, id.indexOf('#') + 1)) ?? free[0];
  }

  private recorded(query: Query, original: RecordedCall, isInPlace: boolean): WorldAnswer | undefined {
    const { call, isWanted = false } = query;
    const { end, cancelledAt, requestedAt } = original;
    this.used.add(original.call.task_run_id);
    if (!end) return this.lacks(query, cancelledAt === undefined ? 'open' : 'cancelled', original);
    const outcome = recordedOutcome(end);
    if (cancelledAt !== undefined && outcome.error?.kind === 'cancelled')
      return this.lacks(query, 'cancelled', original);
    const after = end.mark.at - requestedAt;
    if (!isWanted) {
      if (isLimited(outcome, after, [leastOf(original.limits), leastOf(limitsText(call))]))
        return this.lacks(query, 'too late', original);
      const part = this.withheld.get(call.task_run_id) ?? this.withheld.get(placeOf(call));
      if (part !== undefined) return this.lacks(query, 'not recorded', original, [part]);
    }
    const { ref } = outcome.meta;
    if (ref) tieReference(outcome.result, ref as never);
    const whole = isWanted ? outcome : withMarks(call, outcome);
    const mark = isInPlace ? end.mark : undefined;
    const answer = { outcome: whole, after, ...compact({ mark, started: end.started }) };
    if (whole !== outcome) this.unmarked.set(answer, outcome);
    return answer;
  }

  private lacks(
    { call, at }: Query,
    why: WhyUnanswered,
    recorded?: RecordedCall,
    parts?: readonly string[],
  ): WorldAnswer | undefined {
    const supplied = this.supplied.otherwise?.(call);
    if (supplied) return supplied;
    // A rehearsal has to answer it as well: later than the run cancels it.
    if (why === 'cancelled') this.given.push({ call, answer: { outcome: okOutcome(null), after: NEVER } });
    const until = at + (recorded ? this.openFor(recorded, why) : 0);
    this.unanswered.push({
      call,
      request: callText(call),
      why,
      until,
      ...(recorded && { recorded }),
      ...compact({ parts }),
    });
    return undefined;
  }

  /** For how many milliseconds the call is known not to have ended. */
  private openFor({ requestedAt, cancelledAt, end }: RecordedCall, why: WhyUnanswered): number {
    if (why === 'cancelled' && cancelledAt !== undefined) return cancelledAt - requestedAt;
    if (why === 'open') return this.recording.lastAt - requestedAt;
    return why === 'too late' && end ? end.mark.at - requestedAt : 0;
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

interface Query {
  readonly call: TaskCall;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The user wants the recorded answer, as far as it was recorded. */
  readonly isWanted?: boolean;
}

/** A year: in milliseconds. */
const NEVER = 31_536_000_000;

/** Times of one recording are rounded to milliseconds more than once. */
const ROUNDING = 100;

/** Whether the timer ends the step of the call, or the sub-playbook that it is. */
function isLimitOf(key: string, { task_run_id: id }: TaskCall): boolean {
  const [kind, ...rest] = key.split(':');
  const of = rest.join(':');
  return (kind === 'timeout' && isWithin(id, of)) || (kind === 'child' && id === of);
}

/** Whether the time limit decides: the answer came later than it is now, or the recorded one ran out. Limits in seconds. */
function isLimited({ error }: Outcome, after: number, [was, is]: readonly [number, number]): boolean {
  return error?.kind === 'timeout' ? is > was : is < was && after > is * 1000;
}

/** `step/task`: withheld as a whole if many of its calls are. */
export function placeOf({ step, task }: Pick<TaskCall, 'step' | 'task'>): string {
  return `${step}/${task}`;
}

function keeperOf({ request }: RecordedCall): string {
  return limitCallOf((valueOf(request) as JsonObject)['config'] as JsonObject).keeper;
}

/** The shortest of a call's time limits, in seconds. */
function leastOf(limits: string): number {
  const times = Object.values(valueOf(limits) as JsonObject);
  return times.reduce<number>(
    (least, one) => (typeof one === 'number' ? Math.min(least, one) : least),
    Infinity,
  );
}
