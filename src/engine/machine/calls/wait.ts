/** Kind `wait`: sleeps and external events. It needs nothing outside the workflow but a timer. */
import {
  answerTo,
  compact,
  excerpt,
  failedOutcomeOf,
  formIn,
  inMiB,
  type Json,
  jsonSize,
  MAX_VALUE_SIZE,
  type JsonObject,
  okOutcome,
  secondsOf,
  type TaskPlan,
  type WaitForm,
} from '../../../language/plan';
import { formatIso, fromParts, parseIso, TemplateError } from '../../../language/template/runtime';
import { cancelledOutcome, type Context, EngineError, type Input } from '../batch';
import { EventView, holds } from '../scope';
import { type ExternalEvent, type Frame, type Wait, waitTimerKey } from '../state';

/**
 * How many external events are kept until something waits for them, and how many ids are remembered to detect
 * duplicates.
 */
const MAX_INBOX = 1000;

/** Begins the wait of the frame's current task; a condition that already holds settles it at once. */
export function startWait(context: Context, frame: Frame, wait: Wait): void {
  const { state } = context;
  const { event, until } = wait;
  if (event !== null) {
    const position = state.inbox.findIndex((kept) => counts(context, wait, kept) === true);
    if (position >= 0) return acceptEvent(context, wait, state.inbox.splice(position, 1)[0]!);
  } else if (until! <= state.now) return slept(context, wait);
  const id = frame.taskRunId!;
  state.waits.set(id, wait);
  if (until !== null) context.startTimer(waitTimerKey(id), until, { type: 'wait', wait: id });
}

/**
 * Evaluates what a task of kind `wait` waits for.
 *
 * @throws EngineError `WAIT_FIELDS` unless it has exactly one of `for`, `until` and `event`, or one of them cannot be
 * read.
 */
export function readWait(context: Context, task: TaskPlan, config: JsonObject, frame: Frame): Wait {
  const { now } = context.state;
  const fail = (message: string): never => {
    throw new EngineError('WAIT_FIELDS', `task ${task.name}: ${message}`, task.at);
  };
  const refuse = (field: string, must: string): never =>
    fail(`${field} must be ${must}, got ${excerpt(config[field])}`);
  const after = (field: 'for' | 'timeout'): number => {
    const seconds =
      secondsOf(config[field]!) ?? refuse(field, 'seconds (0 or more) or a duration like 5m or PT5M');
    return now + Math.round(seconds * 1000);
  };
  const wait = { frame: frame.id, startedAt: now, event: null };
  const given = ['for', 'until', 'event'].filter((key) => (config[key] ?? null) !== null);
  if (given.length !== 1) {
    fail(`a wait needs exactly one of for, until and event, got ${given.join(' and ') || 'none'}`);
  }
  const { event, until, timeout = null } = config;
  const form = config['form'] === undefined || config['form'] === null ? undefined : formIn(config['form']);
  if (typeof form === 'string') return fail(`form ${form}`);
  if (form && given[0] !== 'event') return fail('a form needs `event`, the name of its answer');
  switch (given[0]) {
    case 'event':
      if (typeof event !== 'string' || event === '') return refuse('event', 'the name of an event');
      return { ...wait, event, until: timeout === null ? null : after('timeout'), ...compact({ form }) };
    case 'for':
      return { ...wait, until: after('for') };
    default: {
      const moment = deadlineOf(until!);
      return {
        ...wait,
        until: moment ?? refuse('until', 'an RFC 3339 timestamp or seconds since the epoch'),
      };
    }
  }
}

/**
 * Parses a timestamp (without a zone: UTC) or seconds since the epoch into milliseconds since the epoch. Undefined for
 * anything else.
 */
export function deadlineOf(value: Json): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return Math.round(number * 1000);
  try {
    return typeof value === 'string' ? parseIso(value)?.ms : undefined;
  } catch {
    return undefined; // e.g. 30 February
  }
}

/** Fields describing a wait in events. */
export function waitReference({ event, until, form }: Wait): JsonObject {
  return {
    ...(event !== null && { event }),
    ...(until !== null && { until: timestamp(until) }),
    ...(form && { form: { ...form, who: { ...form.who, tokens: [...form.who.tokens] } } }),
  };
}

/** The timer of a wait fired: a sleep is over, or an event did not arrive in time. */
export function waitElapsed(context: Context, id: string): void {
  const wait = take(context, id);
  if (!wait) return;
  if (wait.event === null) return slept(context, wait);
  const seconds = (wait.until! - wait.startedAt) / 1000;
  const message = `no event ${excerpt(wait.event)} arrived within ${seconds} s`;
  const error = { kind: 'timeout', code: 'WAIT_TIMEOUT', message, retryable: true } as const;
  context.settle(wait.frame, failedOutcomeOf(error, { duration_ms: context.state.now - wait.startedAt }));
}

/** Ends a wait that is no longer needed; false when there is none with that id. */
export function stopWait(context: Context, id: string): boolean {
  const wait = take(context, id);
  if (wait) context.settle(wait.frame, cancelledOutcome());
  return wait !== undefined;
}

/**
 * An external event arrived: the oldest matching wait takes it, otherwise it is kept for the first wait that matches.
 */
export function receiveEvent(context: Context, input: Extract<Input, { type: 'externalEvent' }>): void {
  const { state } = context;
  const { id = null, name, payload, answer } = input;
  const event: ExternalEvent = { id, name, payload, at: state.now, ...compact({ answer }) };
  const size = jsonSize(payload);
  context.write(size);
  if (!isNew(context, event, size)) return;
  let error: string | undefined;
  for (const taskRunId of answer?.of ? [answer.of] : state.waits.keys()) {
    const wait = state.waits.get(taskRunId)!;
    const verdict = counts(context, wait, event);
    if (typeof verdict === 'string') error ??= `${taskRunId}: ${verdict}`;
    if (verdict !== true) continue;
    take(context, taskRunId);
    received(context, event, { takenBy: taskRunId });
    return acceptEvent(context, wait, event);
  }
  state.inbox.push(event);
  received(context, event, { whenError: error });
  if (state.inbox.length > MAX_INBOX) {
    dropped(context, state.inbox.shift()!, `more than ${MAX_INBOX} events are waiting to be taken`);
  }
  const sizeOf = (): number => state.inbox.reduce((sum, kept) => sum + jsonSize(kept.payload), 0);
  while (size > 0 && state.inbox.length > 1 && sizeOf() > MAX_VALUE_SIZE) {
    const reason = `the events that are waiting to be taken come to more than ${inMiB(MAX_VALUE_SIZE)}`;
    dropped(context, state.inbox.shift()!, reason);
  }
}

/** Remembers its id. False for a duplicate, and for what is refused, which is reported. */
function isNew(context: Context, event: ExternalEvent, size: number): boolean {
  const { seenEvents } = context.state;
  const { id, answer } = event;
  if (id !== null && seenEvents.includes(id)) {
    received(context, event, { duplicate: true });
    return false;
  }
  const refused =
    size > MAX_VALUE_SIZE
      ? `its payload comes to more than ${inMiB(MAX_VALUE_SIZE)} as JSON`
      : answer?.of && whyRefused(context, event, answer.of);
  if (refused) {
    if (id !== null) context.command({ type: 'answerEvent', id, taken: false, duplicate: false, refused });
    dropped(context, event, refused);
    return false;
  }
  if (id !== null) {
    seenEvents.push(id);
    if (seenEvents.length > MAX_INBOX) seenEvents.shift();
  }
  return true;
}

/** Why an answer to that task run is not accepted; undefined if it is. An answer is never kept for another wait. */
function whyRefused(context: Context, event: ExternalEvent, of: string): string | undefined {
  const wait = context.state.waits.get(of);
  const verdict = wait !== undefined && counts(context, wait, event);
  return verdict === true ? undefined : verdict || 'the wait that it answers is over';
}

/**
 * Whether the wait accepts this event. A string: its `when` cannot be evaluated against the event, which is the event's
 * fault.
 */
function counts(context: Context, wait: Wait, event: ExternalEvent): boolean | string {
  if (wait.event !== event.name) return false;
  if (wait.form) return whyNoAnswer(wait.form, event) ?? true;
  const frame = context.state.frames.get(wait.frame)!;
  const run = context.run(frame.run);
  const task = context.taskOf(frame);
  const fields = { payload: event.payload, id: event.id, received_at: timestamp(event.at) };
  try {
    return holds(context, task.when, { run, frame, event: new EventView([event.name], fields) });
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

function whyNoAnswer(form: WaitForm, { payload, answer }: ExternalEvent): string | undefined {
  if (!answer) return 'it has a form, which takes answers only (`noetl-temporal answer`)';
  const { wrong } = answer.any ? {} : answerTo(form, payload);
  return wrong?.map(({ at, message }) => `${at} ${message}`).join('; ');
}

/** Removes the wait and its timer from the state. */
function take(context: Context, id: string): Wait | undefined {
  context.dropTimer(waitTimerKey(id));
  return context.state.waits.take(id);
}

function slept(context: Context, { frame, startedAt }: Wait): void {
  const duration_ms = context.state.now - startedAt;
  context.settle(frame, okOutcome({ waited_s: duration_ms / 1000 }, { duration_ms }));
}

function acceptEvent(
  context: Context,
  { frame, startedAt, form }: Wait,
  { name, id, at, payload, answer }: ExternalEvent,
): void {
  const event = { name, id, received_at: timestamp(at) };
  const { result: given } = form && !answer?.any ? answerTo(form, payload) : {};
  const { by = null, via = null } = answer ?? {};
  const result = given ? { ...given, by, via } : payload;
  context.settle(frame, okOutcome(result, { duration_ms: context.state.now - startedAt, event }));
}

/** Reports what became of an event, in the event log and to its sender. */
function received(
  context: Context,
  event: ExternalEvent,
  verdict: { takenBy?: string; duplicate?: true; whenError?: string },
): void {
  const { takenBy, duplicate = false, whenError } = verdict;
  const { id } = event;
  if (id !== null) context.command({ type: 'answerEvent', id, taken: takenBy !== undefined, duplicate });
  context.emit?.('external.received', event.name, duplicate ? 'skipped' : 'success', {
    id,
    received_at: timestamp(event.at),
    payload: event.payload,
    by: event.answer?.by,
    via: event.answer?.via,
    taken_by: takenBy ?? null,
    duplicate: duplicate || undefined,
    when_error: whenError,
  });
}

function dropped(context: Context, event: ExternalEvent, reason: string): void {
  const payload = { id: event.id, received_at: timestamp(event.at), reason };
  context.emit?.('external.dropped', event.name, 'skipped', payload);
}

/** RFC 3339, UTC. */
export function timestamp(at: number): string {
  return formatIso(fromParts(at, 0, 0)).replace('+00:00', 'Z');
}
