/** Starts a task: evaluates its inputs, then schedules the activity or completes the task at once. */
import {
  declarationOf,
  deepMerge,
  excerpt,
  type Json,
  type JsonObject,
  okOutcome,
  type SourcePosition,
  secondsOf,
  type TaskCall,
  type TaskPlan,
  type TaskPriority,
} from '../../../language/plan';
import { plainValue } from '../../../language/template/runtime';
import { sinkPlace } from '../rules';
import { childReference, readCall, startChild } from './child';
import {
  book,
  causeOf,
  type Context,
  EngineError,
  failedOutcome,
  freeCalls,
  freePlaces,
  isLong,
  measured,
  noteOnce,
  ofTask,
} from '../batch';
import {
  configAt,
  EngineScope,
  mappingAt,
  type EnginePlace,
  secretsIn,
  type SecretTable,
  undefinedIn,
  evaluateAt,
} from '../scope';
import { type Frame, isEmpty, taskRunBase, taskRunId, taskSummary } from '../state';
import { openTaskLoop } from '../loop';
import { priorityAt } from './priority';
import { takesSlot, wantSlot } from './slots';
import { readWait, startWait, waitReference } from './wait';

/** Runs the frame's current task, or defers it (pause, drain, too many pending tasks). */
export function startTask(context: Context, frame: Frame): void {
  const { state } = context;
  const { id } = frame;
  const stopping = context.stoppingOf(frame);
  if (stopping) return context.endFrame(frame, stopping);
  frame.retryAt = null;
  const task = context.taskOf(frame);
  const isFull = freePlaces(state) <= 0 || (task.kind === 'playbook' && freeCalls(state) <= 0);
  if (state.status === 'paused' || state.draining || isFull) {
    state.ready.push(id);
    return;
  }
  const run = context.run(frame.run);
  const base = taskRunBase(id, task.name, frame.visits[task.name]!);
  frame.taskRunId = taskRunId(base, frame.attempt);
  if (task.loop) {
    started(context, frame, task, {});
    return openTaskLoop(context, run, frame);
  }
  const { suspended, repeats } = frame;
  const inside = INSIDE[task.kind];
  if (task.spec.rateLimit && !takesSlot(state, frame)) return deferUntilSlot(context, frame, task);
  // A task that runs in the engine leaves its secrets in the engine's table; one that runs outside takes those of its
  // own fields along.
  const secrets: SecretTable | undefined = inside || !state.secrets ? undefined : {};
  const place = placeOf(context, frame, secrets);
  let own: JsonObject;
  let call: TaskCall;
  // The inputs reported in `task.started`, as far as they are known.
  let input: JsonObject = {};
  let priority: TaskPriority | undefined;
  try {
    own = changed(context, ownInputs(context, task, place), repeats?.input);
    const visible = over(context, frame.args, own);
    const within = placeOf(context, frame, secrets, visible);
    const config = changed(context, configAt(context, task.config, task.strict, within), repeats?.config);
    if (frame.attempt === 1 && config['params'] !== undefined) noteUndefined(context, task, config, within);
    checkOwnLimit(task, config);
    const timeout = timeoutsOf(context, task, within);
    const options = mappingAt(context, task.spec.options, within);
    // A sink's input is what it stores; the step's inputs are not added.
    const whole = frame.claim === undefined ? visible : over(context, run.inputs ?? run.args, own);
    input = suspended ? own : whole;
    if (task.unavailable) throw unavailable(task);
    if (task.spec.priority) priority = priorityAt(context, task.spec.priority, within);
    call = {
      execution_id: state.executionId,
      task_run_id: frame.taskRunId,
      step: run.step,
      task: task.name,
      iteration: frame.index ?? undefined,
      attempt: frame.attempt,
      kind: task.kind,
      idempotency_key: `${state.executionId}/${frame.parent === null ? base : context.workOf(frame)}`,
      input,
      config,
      timeout,
      options,
      secrets: state.secrets && secretsIn([input, config, options], [state.secrets, secrets]),
      context: task.needsContext ? pythonContext(context, frame) : undefined,
      lean: task.lean,
      claim: frame.claim === undefined ? undefined : true,
      stored: task.stored,
    };
    if (inside) return inside(context, { frame, task, call, own, place, priority });
  } catch (error) {
    const cause = causeOf(error, `inputs of task ${task.name}`, task.at);
    started(context, frame, task, input);
    return context.settle(id, failedOutcome(cause));
  }
  started(context, frame, task, input);
  const long = isLong(call);
  book(state, frame.taskRunId, id, long);
  state.counters.tasks++;
  context.command({
    type: 'runTask',
    call,
    summary: summaryOf(context, frame, run.step, task.name),
    pool: task.spec.pool,
    atMostOnce: task.spec.delivery === 'at_most_once',
    heartbeat: task.spec.heartbeat,
    long: long || undefined,
    local: (task.local && !long) || undefined,
    priority,
  });
}

function summaryOf(context: Context, frame: Frame, step: string, task: string): string {
  return taskSummary(context.index.pathOf(step, task), context.iterationsOf(frame));
}

/** The task waits for a slot of its rate limit; its templates are evaluated again when it has one. */
function deferUntilSlot(context: Context, frame: Frame, task: TaskPlan): void {
  try {
    const own = ownInputs(context, task, placeOf(context, frame, {}));
    const within = placeOf(context, frame, {}, over(context, frame.args, own));
    wantSlot(context, frame, task.spec.rateLimit!, within);
  } catch (error) {
    started(context, frame, task, {});
    context.settle(frame.id, failedOutcome(causeOf(error, `rate limit of task ${task.name}`, task.at)));
  }
}

/**
 * The place where a task's templates are evaluated: those of a sink see the call it stores. `input` overrides the
 * frame's.
 */
function placeOf(context: Context, frame: Frame, secrets?: SecretTable, input?: JsonObject): EnginePlace {
  if (frame.suspended) return { ...sinkPlace(context, frame), secrets, input };
  return { run: context.run(frame.run), frame, secrets, input };
}

/** A misspelled parameter of a statement would silently become NULL. */
function noteUndefined(context: Context, task: TaskPlan, config: JsonObject, place: EnginePlace): void {
  const { kind, name, config: fields, at } = task;
  if (!declarationOf(kind)?.sql || !('map' in fields)) return;
  const written = fields.map.find(([key]) => key === 'params')?.[1];
  if (!written) return;
  const sources = undefinedIn(context, written, config['params']!, place);
  if (sources.length === 0) return;
  const message = `parameters of task ${name} are undefined, and become NULL: ${sources.join(', ')}`;
  noteOnce(context, 'UNDEFINED_PARAMS', message, at, { run: place.run!, index: place.frame!.index });
}

/** The task's own inputs; those of a workbook task see what its call gives, which is computed in the caller's scope. */
function ownInputs(context: Context, task: TaskPlan, place: EnginePlace): JsonObject {
  if (!task.given) return mappingAt(context, task.input, place);
  const given = mappingAt(context, task.given, place);
  const seen = over(context, place.frame!.args, given);
  return over(context, given, mappingAt(context, task.input, { ...place, input: seen }));
}

/** Applies the changes that a repetition makes to the call. */
function changed(context: Context, fields: JsonObject, changes: JsonObject | undefined): JsonObject {
  return changes
    ? measured(context, deepMerge(fields, changes) as JsonObject, 'the call with its changes')
    : fields;
}

function unavailable({ kind, at }: TaskPlan): EngineError {
  return new EngineError('KIND_UNAVAILABLE', `this release has no tool of kind ${kind}`, at);
}

/** The frame's inputs, overridden by those of the task. */
function over(context: Context, args: JsonObject, own: JsonObject): JsonObject {
  if (isEmpty(own)) return args;
  return isEmpty(args) ? own : measured(context, { ...args, ...own }, 'all inputs together');
}

interface Inside {
  readonly frame: Frame;
  readonly task: TaskPlan;
  readonly call: TaskCall;
  /** The task's own inputs, without those of its step. */
  readonly own: JsonObject;
  /** The place without the task's own inputs, where those are evaluated. */
  readonly place: EnginePlace;
  readonly priority: TaskPriority | undefined;
}

/** Kinds that need no activity: each reports its start once it is certain, or throws before. */
const INSIDE: Readonly<Record<string, (context: Context, request: Inside) => void>> = {
  noop: answerItself,
  event_log: answerItself,
  wait(context, { frame, task, call }) {
    const wait = readWait(context, task, call.config, frame);
    started(context, frame, task, call.input, { wait: waitReference(wait) });
    startWait(context, frame, wait);
  },
  playbook(context, { frame, task, call, place, priority }) {
    const summary = summaryOf(context, frame, call.step, call.task);
    const command = { ...readCall(context, task, call, place, summary), ...(priority && { priority }) };
    const { child, path, version } = command;
    started(context, frame, task, command.call.input, { child: childReference(child, path, version) });
    startChild(context, frame.id, command);
  },
};

/** A task without a tool returns its own input. */
function answerItself(context: Context, { frame, task, call, own }: Inside): void {
  started(context, frame, task, call.input);
  context.settle(frame.id, okOutcome(task.input === undefined ? null : own));
}

function started(
  context: Context,
  frame: Frame,
  task: TaskPlan,
  input: JsonObject,
  about?: JsonObject,
): void {
  if (!context.emit) return;
  const payload = { kind: task.kind, input, ...(frame.suspended ? { role: 'sink' } : {}), ...about };
  context.emit('task.started', task.name, 'in_progress', payload, ofTask(frame, frame.run));
}

const NO_TIMEOUT: TaskCall['timeout'] = {};
const OWN_LIMITS = ['timeout_seconds', 'timeout'] as const;

/** A tool's own field goes before the limits of its spec. A wait may be told not to wait. */
function checkOwnLimit({ name, kind, at }: TaskPlan, config: JsonObject): void {
  if (kind === 'wait') return;
  for (const field of OWN_LIMITS) {
    const value = config[field] ?? null;
    // A mapping is an extension's own.
    if (value === null || typeof value === 'object' || secondsOf(value)) continue;
    throw notALimit(`task ${name}: ${field}`, value, at);
  }
}

function notALimit(what: string, value: Json, at: SourcePosition): EngineError {
  const must = 'a number of seconds above 0, or a duration like 30s or PT5M';
  return new EngineError('TIMEOUT_NUMBER', `${what} must be ${must}, got ${excerpt(value)}`, at);
}

function timeoutsOf(context: Context, task: TaskPlan, place: EnginePlace): TaskCall['timeout'] {
  if (!task.spec.timeout) return NO_TIMEOUT;
  const timeout: { connect?: number; read?: number; total?: number } = {};
  for (const name of ['connect', 'read', 'total'] as const) {
    const value = task.spec.timeout[name];
    if (value === undefined) continue;
    const given = evaluateAt(context, value, place);
    const seconds = secondsOf(given);
    if (!seconds) throw notALimit(`timeout.${name}`, given, task.at);
    timeout[name] = seconds;
  }
  return timeout;
}

/** The `context` argument of Python code: workload, ctx and the plain results of completed steps. */
function pythonContext(context: Context, frame: Frame): JsonObject {
  const { state } = context;
  const scope = new EngineScope(context, { run: context.run(frame.run), frame });
  const names = state.results.names();
  for (let around: Frame | null = frame; around; around = context.outerOf(around)) {
    names.push(...Object.keys(around.results));
  }
  const results = Object.fromEntries(
    names.map((name) => [name, (plainValue(scope.lookup(name)) ?? null) as Json]),
  );
  const seen = {
    execution_id: state.executionId,
    workload: state.workload,
    // A copy: what is measured must not change afterwards.
    ctx: { ...state.ctx },
    vars: { ...state.ctx },
    ...results,
  };
  return measured(context, seen, 'the `context` of its code (workload, variables and all results)');
}
