/**
 * Signals and updates: what they carry, and which input of the engine they become. The workflow (handlers.ts) and the
 * readers of histories (src/history) both use this table, so that they agree. What does not fit is ignored by both, and
 * reported as the event `external.dropped`.
 */
import { type Input } from '../../engine/machine';
import {
  inMiB,
  isMapping,
  type Json,
  type JsonObject,
  jsonSize,
  type LimitAnswer,
  MAX_STATE_SIZE,
  MAX_VALUE_SIZE,
  unpackOutcome,
  type WireOutcome,
} from '../../language/plan';
import { type ChunkReport, type SentEvent } from './definitions';
import { isOutcome, outcomeOfResult } from './outcomes';
import { eventInput, whyNoEvent } from './sent-event';
import {
  anything,
  id,
  listOf,
  mapping,
  mappingOf,
  number,
  oneOf,
  optional,
  type Shape,
  shaped,
  text,
  variants,
} from './shapes';

type Arguments = readonly unknown[];

interface Message<More extends unknown[] = []> {
  /** What is wrong with the arguments; undefined for those that fit. */
  why(args: Arguments): string | undefined;
  /** For arguments that fit. */
  input(args: Arguments, ...more: More): Input;
}

/** Longer reasons are cut: they end up in failures, whose size Temporal limits. */
const MAX_REASON = 1000;

/** `{reason}`. Nobody who wants to stop an execution is refused for the form. */
function reasonIn(argument: unknown): { readonly reason?: string } {
  const reason = isMapping(argument) ? argument['reason'] : undefined;
  return typeof reason === 'string' ? { reason: reason.slice(0, MAX_REASON) } : {};
}

const always = (): undefined => undefined;

/** Arguments of these shapes, in order. */
function fits(expected: string, ...shapes: readonly Shape[]): Message['why'] {
  return (args) => (shapes.every((shape, index) => shape(args[index])) ? undefined : `expected ${expected}`);
}

const wireOutcome: Shape = (value) => isOutcome(value);
const cause = shaped({ kind: text, code: text, message: text });
const notes = shaped({ count: number, kept: listOf(mapping) });

const chunkResult = shaped({
  results: listOf(anything),
  done: number,
  failed: number,
  notStarted: number,
  cause: optional(cause),
  ctx: mapping,
  writes: mappingOf(mapping),
  tasks: number,
  retries: number,
  secrets: optional(mapping),
  notes: optional(notes),
});

const limitAnswer = variants('type', {
  queued: shaped({ keeper: id, execution: id, holders: listOf(id), ahead: number, until: optional(number) }),
  granted: shaped({ keeper: id, execution: id }),
  skipped: shaped({ keeper: id, execution: id, by: listOf(id) }),
  refused: shaped({ keeper: id, execution: id, holders: listOf(id) }),
  slots: shaped({ keeper: id, execution: id, ref: id, slots: listOf(listOf(number)) }),
});

const whole: Shape = (value) => Number.isInteger(value) && (value as number) >= 1;
/** More starts than that at once would keep a worker busy. */
const count: Shape = (value) => whole(value) && (value as number) <= 1e6;
const positive: Shape = (value) => number(value) && (value as number) > 0;

/** What a keeper is asked: it ignores anything else, which would stop it, and all that share its key with it. */
export const isLimitRequest: Shape = shaped({
  execution: id,
  workflow: id,
  concurrency: optional(shaped({ limit: whole, on_conflict: text })),
  debounce: optional(shaped({ period_ms: positive, max_wait_ms: optional(positive) })),
  rate: optional(shaped({ ref: id, count, limit: whole, per_ms: positive, burst: whole })),
});

const outcome = shaped({ status: oneOf('ok', 'error'), error: optional(mapping), meta: mapping });

/** The inputs that the machine of a chunk gets. */
const chunkInputs = variants('type', {
  chunkStarted: anything,
  continued: anything,
  taskSettled: shaped({ taskRunId: id, outcome }),
  childStarted: shaped({ child: id, version: optional(text), digest: text }),
  childSettled: shaped({ child: id, outcome }),
  limitAnswered: shaped({ answer: limitAnswer }),
  leaseEnded: shaped({ ref: id, trace: (value) => trace(value), lost: optional(outcome) }),
  timerFired: shaped({ key: id }),
  externalEvent: shaped({ name: text, id: optional(text) }),
  messageIgnored: shaped({ message: text, why: text }),
  paused: shaped({ reason: optional(text) }),
  resumed: anything,
  cancelRequested: shaped({ reason: optional(text) }),
  variablesSet: shaped({ variables: mapping }),
  variablesDeleted: shaped({ names: listOf(text) }),
});
const trace: Shape = listOf(shaped({ at: number, inputs: listOf(chunkInputs) }));

const settled = variants('status', {
  done: shaped({ result: chunkResult }),
  lost: shaped({ cause }),
});

/** By name of the signal. */
export const SIGNALS = {
  pause: { why: always, input: ([why]) => ({ type: 'paused', ...reasonIn(why) }) },
  resume: { why: always, input: () => ({ type: 'resumed' }) },
  cancel: { why: always, input: ([why]) => ({ type: 'cancelRequested', ...reasonIn(why) }) },
  event: { why: ([sent]) => whyNoEvent(sent), input: ([sent]) => eventInput(sent as SentEvent) },
  childStarted: {
    why: fits('{child, version, digest}', shaped({ child: id, version: optional(text), digest: text })),
    input: ([about]) => {
      const { child, version, digest } = about as { child: string; version?: string | null; digest: string };
      return {
        type: 'childStarted',
        child,
        ...((version ?? null) !== null && { version: version! }),
        digest,
      };
    },
  },
  childSettled: {
    why: fits('{child, outcome}', shaped({ child: id, outcome: wireOutcome })),
    input: ([about]) => {
      const { child, outcome: wire } = about as { child: string; outcome: WireOutcome };
      return { type: 'childSettled', child, outcome: unpackOutcome(wire) };
    },
  },
  taskSettled: {
    why: fits('a task run id, its outcome and {scheduledAt}', id, mapping, shaped({ scheduledAt: number })),
    input: ([taskRunId, wire]) => ({
      type: 'taskSettled',
      taskRunId: taskRunId as string,
      outcome: outcomeOfResult(wire as WireOutcome),
    }),
  },
  limit: {
    why: fits('the answer of a keeper', limitAnswer),
    input: ([answer]) => ({ type: 'limitAnswered', answer: answer as LimitAnswer }),
  },
  chunk: {
    why: fits('{ref, trace, settled}', shaped({ ref: id, trace, settled: optional(settled) })),
    input: ([report]) => {
      const { ref, trace: batches, settled: end } = report as ChunkReport;
      if (!end) return { type: 'chunkTold', ref, trace: batches };
      return { type: 'chunkSettled', ref, settled: end, trace: batches };
    },
  },
} satisfies Readonly<Record<string, Message>>;

export type SignalName = keyof typeof SIGNALS;

/** Of an update: what is too large is refused, and its sender learns why. */
function within(why: Message['why']): Message['why'] {
  return (args) => {
    if (jsonSize(args[0]) <= MAX_VALUE_SIZE) return why(args);
    return `at most ${inMiB(MAX_VALUE_SIZE)} as JSON are accepted`;
  };
}

/** By name of the update; the validator refuses arguments that do not fit. `id`: that of the update. */
export const UPDATES = {
  sendEvent: {
    why: within(([sent]) => whyNoEvent(sent)),
    input: ([sent], updateId) => ({
      ...eventInput(sent as SentEvent),
      id: (sent as SentEvent).id ?? updateId,
    }),
  },
  setVariables: {
    why: within(([variables]) => {
      if (!isMapping(variables)) return 'setVariables takes one mapping of names to values';
      const wrong = Object.keys(variables).find((name) => !/^[A-Za-z_]\w*$/.test(name));
      return wrong === undefined
        ? undefined
        : `${JSON.stringify(wrong.slice(0, 100))} is not a variable name`;
    }),
    input: ([variables]) => ({ type: 'variablesSet', variables: variables as JsonObject }),
  },
  deleteVariables: {
    why: within(([names]) => (listOf(text)(names) ? undefined : 'deleteVariables takes one list of names')),
    input: ([names]) => ({ type: 'variablesDeleted', names: names as string[] }),
  },
} satisfies Readonly<Record<string, Message<[id: string]>>>;

export type UpdateName = keyof typeof UPDATES;

/** The input for a signal with these arguments; undefined for a signal that the workflow does not know. */
export function signalInput(name: string, args: Arguments): Input | undefined {
  if (!Object.hasOwn(SIGNALS, name)) return undefined;
  const message: Message = SIGNALS[name as SignalName];
  const tooLarge = jsonSize(args as Json) < MAX_STATE_SIZE ? undefined : 'it is too large';
  const why = tooLarge ?? message.why(args);
  return why === undefined ? message.input(args) : { type: 'messageIgnored', message: name, why };
}

/** The input for an accepted update; undefined for an update that the workflow does not know. */
export function updateInput(name: string, args: Arguments, updateId: string): Input | undefined {
  if (!Object.hasOwn(UPDATES, name)) return undefined;
  const message: Message<[id: string]> = UPDATES[name as UpdateName];
  return message.why(args) === undefined ? message.input(args, updateId) : undefined;
}
