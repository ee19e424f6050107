/** The start of one task: its inputs evaluated, the activity asked for, or the answer given at once. */
import {
  deepMerge,
  type Json,
  type JsonObject,
  type Outcome,
  secondsOf,
  type TaskCall,
  type TaskPlan,
} from '../../plan';
import { plain } from '../../template/runtime';
import { sinkPlace } from '../rules';
import { childReference, readCall, startChild } from './child';
import {
  book,
  causeOf,
  type Context,
  EngineError,
  failedOutcome,
  isLong,
  MAX_PENDING_TASKS,
  ofTask,
} from '../batch';
import {
  configAt,
  EngineScope,
  iterationsOf,
  mappingAt,
  outerOf,
  type Place,
  secretsIn,
  type SecretTable,
  stoppingOf,
  taskOf,
  valueAt,
  workOf,
} from '../scope';
import { type FailureCause, type Frame, isEmpty, taskRunBase, taskRunId, taskSummary } from '../state';
import { openTaskLoop } from '../loop';
import { readWait, startWait, waitReference } from './wait';

/** Runs the frame's current task, or lets it wait for a free place (pause, drain, too many pending tasks). */
export function startTask(context: Context, id: string): void {
  const { state } = context;
  const frame = state.frames.get(id);
  if (!frame) return;
  const stopping = stoppingOf(context, frame);
  if (stopping) return context.enqueue({ op: 'frameEnded', frame: id, cause: stopping });
  frame.retryAt = null;
  if (
    state.status === 'paused' ||
    state.draining ||
    state.pendingCount + state.childCount >= MAX_PENDING_TASKS
  ) {
    state.ready.push(id);
    return;
  }
  const run = context.run(frame.run);
  const task = taskOf(context, frame);
  const base = taskRunBase(id, task.name, frame.visits[task.name]!);
  frame.taskRunId = taskRunId(base, frame.attempt);
  if (task.loop) {
    started(context, frame, task, {});
    return openTaskLoop(context, run, frame);
  }
  let own: JsonObject;
  let input: JsonObject;
  let config: JsonObject;
  let timeout: TaskCall['timeout'];
  let options: JsonObject;
  const place = placeOf(context, frame);
  const inside = INSIDE[task.kind];
  // What stays in the engine keeps its secrets there; a task takes those of its own fields with it.
  const secrets: SecretTable | undefined = inside || !state.secrets ? undefined : {};
  try {
    own = ownInput(context, frame, task, place, secrets);
    const visible = over(frame.args, own);
    const within = placeOf(context, frame, visible);
    // A sink's input is what it stores: nothing of the step's own is added to it.
    input = frame.suspended ? own : visible;
    config = configAt(context, task.config, task.strict, within, secrets);
    if (frame.repeats?.config) config = deepMerge(config, frame.repeats.config) as JsonObject;
    timeout = timeoutsOf(context, task, within);
    options = mappingAt(context, task.spec.options, within, secrets);
  } catch (error) {
    return refuse(context, frame, task, {}, error);
  }
  if (task.unavailable) {
    const message = `no worker of this release runs tools of kind ${task.kind}`;
    const cause: FailureCause = { kind: 'validation', code: 'KIND_UNAVAILABLE', message, at: task.at };
    started(context, frame, task, input);
    return context.enqueue({ op: 'settled', frame: id, outcome: failedOutcome(cause) });
  }
  const call: TaskCall = {
    execution_id: state.executionId,
    task_run_id: frame.taskRunId,
    step: run.step,
    task: task.name,
    iteration: frame.index ?? undefined,
    attempt: frame.attempt,
    kind: task.kind,
    idempotency_key: `${state.executionId}/${frame.parent === null ? base : workOf(context, frame)}`,
    input,
    config,
    timeout,
    options,
    secrets: state.secrets && secretsIn([input, config, options], [state.secrets, secrets]),
    context: task.needsContext ? pythonContext(context, frame) : undefined,
    lean: task.lean,
  };
  if (inside) {
    try {
      return inside(context, { frame, task, call, own, place });
    } catch (error) {
      return refuse(context, frame, task, input, error);
    }
  }
  started(context, frame, task, input);
  const long = isLong(call);
  book(state, frame.taskRunId, id, long);
  state.counters.tasks++;
  context.command({
    type: 'runTask',
    call,
    summary: taskSummary(run.step, task.name, iterationsOf(context, frame)),
    pool: task.spec.pool,
    atMostOnce: task.spec.delivery === 'at_most_once',
    heartbeat: task.spec.heartbeat,
    long: long || undefined,
    local: (task.local && !long) || undefined,
  });
}

/** The inputs of the frame with those of the task over them. */
function over(args: JsonObject, own: JsonObject): JsonObject {
  if (isEmpty(own)) return args;
  return isEmpty(args) ? own : { ...args, ...own };
}

/** Where a task's templates stand: those of a sink see the call that it stores. `input`: lies over the frame's. */
function placeOf(context: Context, frame: Frame, input?: JsonObject): Place {
  if (frame.suspended) return { ...sinkPlace(context, frame), input };
  return { run: context.run(frame.run), frame, input };
}

/** The task's own inputs, with what a repetition of the call changed in them. */
function ownInput(
  context: Context,
  frame: Frame,
  task: TaskPlan,
  place: Place,
  secrets?: SecretTable,
): JsonObject {
  const own = mappingAt(context, task.input, place, secrets);
  return frame.repeats?.input ? (deepMerge(own, frame.repeats.input) as JsonObject) : own;
}

interface Inside {
  readonly frame: Frame;
  readonly task: TaskPlan;
  readonly call: TaskCall;
  /** The task's own inputs, without those of its step. */
  readonly own: JsonObject;
  /** Of the task's own inputs: without them. */
  readonly place: Place;
}

/** Kinds that no activity runs: each says that it started when it is sure to, or throws before. */
const INSIDE: Readonly<Record<string, (context: Context, asked: Inside) => void>> = {
  noop: answerItself,
  event_log: answerItself,
  wait(context, { frame, task, call }) {
    const wait = readWait(context, task, call.config, frame);
    started(context, frame, task, call.input, { wait: waitReference(wait) });
    startWait(context, frame, wait);
  },
  playbook(context, { frame, task, call, place }) {
    const summary = taskSummary(call.step, call.task, iterationsOf(context, frame));
    const command = readCall(context, task, call, place, summary);
    started(context, frame, task, command.call.input, { child: childReference(command) });
    startChild(context, frame.id, command);
  },
};

/** The result of a task without a tool is its own input. */
function answerItself(context: Context, { frame, task, call, own }: Inside): void {
  const result = task.input === undefined ? null : own;
  started(context, frame, task, call.input);
  const outcome: Outcome = { status: 'ok', result, error: null, meta: {} };
  context.enqueue({ op: 'settled', frame: frame.id, outcome });
}

/** The task fails without having run: its inputs could not be evaluated, or make no sense. */
function refuse(context: Context, frame: Frame, task: TaskPlan, input: JsonObject, error: unknown): void {
  const cause = causeOf(error, `inputs of task ${task.name}`, task.at);
  started(context, frame, task, input);
  context.enqueue({ op: 'settled', frame: frame.id, outcome: failedOutcome(cause) });
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

function timeoutsOf(context: Context, task: TaskPlan, place: Place): TaskCall['timeout'] {
  if (!task.spec.timeout) return NO_TIMEOUT;
  const timeout: { connect?: number; read?: number; total?: number } = {};
  for (const name of ['connect', 'read', 'total'] as const) {
    const value = task.spec.timeout[name];
    if (value === undefined) continue;
    const seconds = secondsOf(valueAt(context, value, place));
    if (!seconds) {
      throw new EngineError('TIMEOUT_NUMBER', `timeout.${name} must be a number of seconds above 0`, task.at);
    }
    timeout[name] = seconds;
  }
  return timeout;
}

/** What Python code finds in `context`: workload, ctx and the plain results of the steps so far. */
function pythonContext(context: Context, frame: Frame): JsonObject {
  const { state } = context;
  const scope = new EngineScope(context, { run: context.run(frame.run), frame });
  const names = state.results.names();
  for (let around: Frame | null = frame; around; around = outerOf(context, around)) {
    names.push(...Object.keys(around.results));
  }
  const results = Object.fromEntries(
    names.map((name) => [name, (plain(scope.lookup(name)) ?? null) as Json]),
  );
  return {
    execution_id: state.executionId,
    workload: state.workload,
    ctx: state.ctx,
    vars: state.ctx,
    ...results,
  };
}
