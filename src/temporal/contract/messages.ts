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
  anyShape,
  id,
  listShape,
  mappingShape,
  mappingOfShape,
  number,
  oneOfShape,
  optionalShape,
  type MessageShape,
  shaped,
  textShape,
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
function fits(expected: string, ...shapes: readonly MessageShape[]): Message['why'] {
  return (args) => (shapes.every((shape, index) => shape(args[index])) ? undefined : `expected ${expected}`);
}

const wireOutcome: MessageShape = (value) => isOutcome(value);
const cause = shaped({ kind: textShape, code: textShape, message: textShape });
const notes = shaped({ count: number, kept: listShape(mappingShape) });

const chunkResult = shaped({
  results: listShape(anyShape),
  done: number,
  failed: number,
  notStarted: number,
  cause: optionalShape(cause),
  ctx: mappingShape,
  writes: mappingOfShape(mappingShape),
  tasks: number,
  retries: number,
  secrets: optionalShape(mappingShape),
  notes: optionalShape(notes),
});

const limitAnswer = variants('type', {
  queued: shaped({
    keeper: id,
    execution: id,
    holders: listShape(id),
    ahead: number,
    until: optionalShape(number),
  }),
  granted: shaped({ keeper: id, execution: id }),
  skipped: shaped({ keeper: id, execution: id, by: listShape(id) }),
  refused: shaped({ keeper: id, execution: id, holders: listShape(id) }),
  slots: shaped({ keeper: id, execution: id, ref: id, slots: listShape(listShape(number)) }),
});

const whole: MessageShape = (value) => Number.isInteger(value) && (value as number) >= 1;
/** More starts than that at once would keep a worker busy. */
const count: MessageShape = (value) => whole(value) && (value as number) <= 1e6;
const positive: MessageShape = (value) => number(value) && (value as number) > 0;

/** What a keeper is asked: it ignores anything else, which would stop it, and all that share its key with it. */
export const isLimitRequest: MessageShape = shaped({
  execution: id,
  workflow: id,
  concurrency: optionalShape(shaped({ limit: whole, on_conflict: textShape })),
  debounce: optionalShape(shaped({ period_ms: positive, max_wait_ms: optionalShape(positive) })),
  rate: optionalShape(shaped({ ref: id, count, limit: whole, per_ms: positive, burst: whole })),
});

const outcome = shaped({
  status: oneOfShape('ok', 'error'),
  error: optionalShape(mappingShape),
  meta: mappingShape,
});

/** The inputs that the machine of a chunk gets. */
const chunkInputs = variants('type', {
  chunkStarted: anyShape,
  continued: anyShape,
  taskSettled: shaped({ taskRunId: id, outcome }),
  childStarted: shaped({ child: id, version: optionalShape(textShape), digest: textShape }),
  childSettled: shaped({ child: id, outcome }),
  limitAnswered: shaped({ answer: limitAnswer }),
  leaseEnded: shaped({ ref: id, trace: (value) => trace(value), lost: optionalShape(outcome) }),
  timerFired: shaped({ key: id }),
  externalEvent: shaped({ name: textShape, id: optionalShape(textShape) }),
  messageIgnored: shaped({ message: textShape, why: textShape }),
  paused: shaped({ reason: optionalShape(textShape) }),
  resumed: anyShape,
  cancelRequested: shaped({ reason: optionalShape(textShape) }),
  variablesSet: shaped({ variables: mappingShape }),
  variablesDeleted: shaped({ names: listShape(textShape) }),
});
const trace: MessageShape = listShape(shaped({ at: number, inputs: listShape(chunkInputs) }));

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
    why: fits(
      '{child, version, digest}',
      shaped({ child: id, version: optionalShape(textShape), digest: textShape }),
    ),
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
    why: fits(
      'a task run id, its outcome and {scheduledAt}',
      id,
      mappingShape,
      shaped({ scheduledAt: number }),
    ),
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
    why: fits('{ref, trace, settled}', shaped({ ref: id, trace, settled: optionalShape(settled) })),
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
    why: within(([names]) =>
      listShape(textShape)(names) ? undefined : 'deleteVariables takes one list of names',
    ),
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
