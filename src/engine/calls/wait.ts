/** Kind `wait` (D27): sleeps and external events. Nothing of it leaves the workflow but a timer. */
import { type JsonObject, type Outcome, secondsOf, type TaskPlan } from '../../plan';
import { formatIso, fromParts, TemplateError } from '../../template/runtime';
import { cancelledOutcome, type Context, EngineError, type Input } from '../batch';
import { EventView, holds, taskOf } from '../scope';
import { type ExternalEvent, type Frame, type Wait, waitTimerKey } from '../state';
import { momentOf } from './moment';

/** External events kept until somebody waits for them, and ids remembered to tell a duplicate. */
export const MAX_INBOX = 1000;

/** Begins the wait that the frame's current task is; what holds already settles it at once. */
export function startWait(context: Context, frame: Frame, wait: Wait): void {
  const { state } = context;
  const id = frame.taskRunId!;
  if (wait.event !== null) {
    const position = state.inbox.findIndex((event) => counts(context, wait, event) === true);
    if (position >= 0) {
      const [event] = state.inbox.splice(position, 1);
      return settled(context, wait, came(context, wait, event!));
    }
  } else if (wait.until! <= state.now) return settled(context, wait, slept(context, wait));
  state.waits[id] = wait;
  if (wait.until === null) return;
  const key = waitTimerKey(id);
  state.timers[key] = { deadline: wait.until, purpose: { type: 'wait', wait: id } };
  context.command({ type: 'startTimer', key, deadline: wait.until });
}

/**
 * What a task of kind `wait` waits for.
 *
 * @throws EngineError `WAIT_FIELDS` when it is not one of `for`, `until` and `event`, or one of them cannot be read.
 */
export function readWait(context: Context, task: TaskPlan, config: JsonObject, frame: Frame): Wait {
  const { now } = context.state;
  return { frame: frame.id, startedAt: now, ...goalOf(task, config, now) };
}

/** What events tell of a wait. */
export function waitReference({ event, until }: Wait): JsonObject {
  return {
    ...(event === null ? {} : { event }),
    ...(until === null ? {} : { until: timestamp(until) }),
  };
}

function goalOf(task: TaskPlan, config: JsonObject, now: number): Pick<Wait, 'event' | 'until'> {
  const given = (['for', 'until', 'event'] as const).filter((key) => (config[key] ?? null) !== null);
  const wrong = (message: string): EngineError =>
    new EngineError('WAIT_FIELDS', `task ${task.name}: ${message}`, task.at);
  if (given.length !== 1) {
    throw wrong(`a wait has exactly one of for, until and event, got ${given.join(' and ') || 'none'}`);
  }
  const said = (key: string): string => JSON.stringify(config[key]);
  if (given[0] === 'event') {
    if (typeof config['event'] !== 'string' || config['event'] === '') {
      throw wrong(`event must be the name of an event, got ${said('event')}`);
    }
    if ((config['timeout'] ?? null) === null) return { event: config['event'], until: null };
    const limit = secondsOf(config['timeout']!);
    if (limit === undefined) throw wrong(`timeout ${DURATION}, got ${said('timeout')}`);
    return { event: config['event'], until: now + Math.round(limit * 1000) };
  }
  if (given[0] === 'for') {
    const seconds = secondsOf(config['for']!);
    if (seconds === undefined) throw wrong(`for ${DURATION}, got ${said('for')}`);
    return { event: null, until: now + Math.round(seconds * 1000) };
  }
  const moment = momentOf(config['until']!);
  if (moment === undefined) {
    throw wrong(`until must be an RFC 3339 timestamp or seconds since the epoch, got ${said('until')}`);
  }
  return { event: null, until: moment };
}

const DURATION = 'must be seconds (0 or more) or a duration like 5m or PT5M';

/** The timer of a wait fired: a sleep is over, an event did not come. */
export function waitElapsed(context: Context, id: string): void {
  const wait = take(context, id);
  if (!wait) return;
  if (wait.event === null) return settled(context, wait, slept(context, wait));
  const seconds = (wait.until! - wait.startedAt) / 1000;
  settled(context, wait, {
    status: 'error',
    result: null,
    error: {
      kind: 'timeout',
      code: 'WAIT_TIMEOUT',
      message: `no event ${JSON.stringify(wait.event)} came within ${seconds} s`,
      retryable: true,
    },
    meta: { duration_ms: context.state.now - wait.startedAt },
  });
}

/** Ends a wait that is no longer wanted; false when there is none of that id. */
export function stopWait(context: Context, id: string): boolean {
  const wait = take(context, id);
  if (wait) settled(context, wait, cancelledOutcome());
  return wait !== undefined;
}

/** An event from outside: the oldest wait it counts for takes it, else it is kept for the first that will. */
export function receive(context: Context, input: Extract<Input, { type: 'externalEvent' }>): void {
  const { state } = context;
  const event: ExternalEvent = {
    id: input.id ?? null,
    name: input.name,
    payload: input.payload,
    at: state.now,
  };
  if (event.id !== null) {
    if (state.seenEvents.includes(event.id)) return received(context, event, { duplicate: true });
    state.seenEvents.push(event.id);
    if (state.seenEvents.length > MAX_INBOX) state.seenEvents.shift();
  }
  let error: string | undefined;
  for (const [id, wait] of Object.entries(state.waits)) {
    const verdict = counts(context, wait, event);
    if (typeof verdict === 'string') error ??= `${id}: ${verdict}`;
    if (verdict !== true) continue;
    take(context, id);
    received(context, event, { takenBy: id });
    return settled(context, wait, came(context, wait, event));
  }
  state.inbox.push(event);
  received(context, event, { whenError: error });
  if (state.inbox.length > MAX_INBOX) dropped(context, state.inbox.shift()!);
}

/** Does the wait take this event? Text: its `when` cannot be evaluated on it, which is the event's fault. */
function counts(context: Context, wait: Wait, event: ExternalEvent): boolean | string {
  if (wait.event !== event.name) return false;
  const frame = context.state.frames.get(wait.frame)!;
  const run = context.run(frame.run);
  const task = taskOf(context, frame);
  const fields = { payload: event.payload, id: event.id, received_at: timestamp(event.at) };
  try {
    return holds(context, task.when, { run, frame, event: new EventView([event.name], fields) });
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/** Takes the wait out of the state, its timer with it. */
function take(context: Context, id: string): Wait | undefined {
  const { state } = context;
  if (!Object.hasOwn(state.waits, id)) return undefined;
  const wait = state.waits[id]!;
  delete state.waits[id];
  context.dropTimer(waitTimerKey(id));
  return wait;
}

function settled(context: Context, wait: Wait, outcome: Outcome): void {
  context.enqueue({ op: 'settled', frame: wait.frame, outcome });
}

function slept(context: Context, wait: Wait): Outcome {
  const duration_ms = context.state.now - wait.startedAt;
  return { status: 'ok', result: { waited_s: duration_ms / 1000 }, error: null, meta: { duration_ms } };
}

function came(context: Context, wait: Wait, event: ExternalEvent): Outcome {
  const meta = {
    duration_ms: context.state.now - wait.startedAt,
    event: { name: event.name, id: event.id, received_at: timestamp(event.at) },
  };
  return { status: 'ok', result: event.payload, error: null, meta };
}

/** What became of an event: in the event log, and to its sender. */
function received(
  context: Context,
  event: ExternalEvent,
  verdict: { takenBy?: string; duplicate?: true; whenError?: string },
): void {
  const { takenBy, duplicate, whenError } = verdict;
  const { id } = event;
  if (id !== null) {
    context.command({
      type: 'answerEvent',
      id,
      taken: takenBy !== undefined,
      duplicate: duplicate === true,
    });
  }
  context.emit?.('external.received', event.name, duplicate ? 'skipped' : 'success', {
    id,
    received_at: timestamp(event.at),
    payload: event.payload,
    taken_by: takenBy ?? null,
    duplicate,
    when_error: whenError,
  });
}

function dropped(context: Context, event: ExternalEvent): void {
  const reason = `more than ${MAX_INBOX} events wait to be taken`;
  const payload = { id: event.id, received_at: timestamp(event.at), reason };
  context.emit?.('external.dropped', event.name, 'skipped', payload);
}

/** RFC 3339, UTC. */
function timestamp(at: number): string {
  return formatIso(fromParts(at, 0, 0)).replace('+00:00', 'Z');
}
