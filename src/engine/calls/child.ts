/** Kind `playbook` (D23): another playbook as an execution of its own, whose end is the task's outcome. */
import {
  type Json,
  type JsonObject,
  type Outcome,
  secondsOf,
  type TaskCall,
  type TaskPlan,
  workflowId,
} from '../../plan';
import { plain } from '../../template/runtime';
import { cancelledOutcome, type Context, EngineError, type Input, type RunPlaybook } from '../batch';
import { type Child, childExecutionId, childTimerKey } from '../state';
import { EngineScope, keepSecrets, type Place, secretsIn } from '../scope';

/** Calls deeper than this are a recursion without an end (D23). */
export const MAX_DEPTH = 32;

/**
 * What a task of kind `playbook` asks for, with a new execution id.
 *
 * @throws EngineError `PLAYBOOK_FIELDS` when a field cannot be read, `PLAYBOOK_DEPTH` when it is called too deep.
 */
export function readCall(
  context: Context,
  task: TaskPlan,
  call: TaskCall,
  place: Place,
  summary: string,
): RunPlaybook {
  const { state } = context;
  const wrong = (message: string): EngineError =>
    new EngineError('PLAYBOOK_FIELDS', `task ${task.name}: ${message}`, task.at);
  const text = (field: string): string | undefined => {
    const value = call.config[field] ?? null;
    if (value === null || value === '') return undefined;
    if (typeof value !== 'string' && typeof value !== 'number') throw wrong(`${field} must be text`);
    return String(value);
  };
  const path = text('path') ?? text('name');
  if (path === undefined) throw wrong('path must name a playbook');
  const depth = (state.caller?.depth ?? 0) + 1;
  if (depth > MAX_DEPTH) {
    throw new EngineError(
      'PLAYBOOK_DEPTH',
      `task ${task.name}: playbook ${path} is called ${depth} deep, more than ${MAX_DEPTH}: a recursion without an end?`,
      task.at,
    );
  }
  const payload = call.config['payload'] ?? {};
  if (typeof payload !== 'object' || Array.isArray(payload)) throw wrong('payload must be a mapping');
  const iter = plain(new EngineScope(context, place).lookup('iter')) as JsonObject | undefined;
  const inLoop = iter !== undefined && Object.keys(iter).length > 0;
  state.lastChild = childExecutionId(state.now, state.executionId, call.task_run_id, state.lastChild);
  const secrets = secretsIn([call.input, payload, iter ?? null], [state.secrets]);
  return {
    type: 'runPlaybook',
    child: state.lastChild,
    call: { ...call, input: { ...call.input, ...payload } },
    path,
    version: text('version'),
    returnStep: text('return_step'),
    detached: isFalse(call.config['wait'] ?? true),
    caller: {
      executionId: state.executionId,
      taskRunId: call.task_run_id,
      depth,
      iter: inLoop ? iter : null,
      ...(secrets && { secrets }),
    },
    summary,
  };
}

/** Starts the child and, where it has one, the clock of its time limit. */
export function startChild(context: Context, frame: string, command: RunPlaybook): void {
  const { state } = context;
  const { child, call, path, detached } = command;
  state.children[child] = {
    frame,
    taskRunId: call.task_run_id,
    path,
    detached,
    startedAt: state.now,
    timedOut: null,
  };
  state.childCount++;
  state.counters.tasks++;
  context.command(command);
  const limit = secondsOf(call.config['timeout'] ?? null) ?? call.timeout.total;
  if (detached || limit === undefined) return;
  const key = childTimerKey(call.task_run_id);
  const deadline = state.now + Math.round(limit * 1000);
  state.timers[key] = { deadline, purpose: { type: 'child', child } };
  context.command({ type: 'startTimer', key, deadline });
}

/** What events and outcomes tell of a child. */
export function childReference(command: RunPlaybook): JsonObject {
  const { child, path, version } = command;
  return { execution_id: child, path, ...(version === undefined ? {} : { version }) };
}

/** A detached child runs: that is the outcome of its task. */
export function childStarted(context: Context, input: Extract<Input, { type: 'childStarted' }>): void {
  const child = take(context, input.child);
  if (!child) return;
  const { version, digest } = input;
  const about = {
    execution_id: input.child,
    path: child.path,
    ...(version === undefined ? {} : { version }),
    digest,
  };
  const result: Json = { ...about, workflow_id: workflowId(input.child), status: 'started' };
  const meta = { child: about };
  settled(context, child, { status: 'ok', result, error: null, meta });
}

/** A child ended, or could not be started. */
export function childSettled(context: Context, input: Extract<Input, { type: 'childSettled' }>): void {
  const child = take(context, input.child);
  if (!child) return;
  const outcome = keepSecrets(context.state, input.outcome);
  const meta = { ...outcome.meta, duration_ms: context.state.now - child.startedAt };
  // One that completed although its time was over did what was asked.
  if (child.timedOut === null || outcome.status === 'ok') {
    return settled(context, child, { ...outcome, meta });
  }
  const message = `playbook ${child.path} did not end within its time limit of ${child.timedOut} s and was cancelled`;
  const error = { kind: 'timeout', code: 'TIMEOUT', message, retryable: true } as const;
  settled(context, child, { status: 'error', result: null, error, meta });
}

/** The time limit of a child has passed: it is cancelled, and its end awaited. */
export function childTimedOut(context: Context, id: string): void {
  const child = context.state.children[id]!;
  child.timedOut = (context.state.now - child.startedAt) / 1000;
  context.command({ type: 'cancelPlaybook', child: id, reason: `time limit of ${child.timedOut} s` });
}

/** Cancels the child of a task run; false when it has none. A detached one goes on without its caller. */
export function stopChild(context: Context, taskRunId: string, reason: string | null): boolean {
  const { state } = context;
  const id = Object.keys(state.children).find((key) => state.children[key]!.taskRunId === taskRunId);
  if (id === undefined) return false;
  const asked = context.commands.findIndex((one) => one.type === 'runPlaybook' && one.child === id);
  if (asked >= 0) context.commands.splice(asked, 1);
  if (asked >= 0 || state.children[id]!.detached) {
    settled(context, take(context, id)!, cancelledOutcome());
  } else context.command({ type: 'cancelPlaybook', child: id, reason });
  return true;
}

/** Pause and resume reach the children that are waited for (D24). */
export function steerChildren(
  context: Context,
  what: { type: 'pausePlaybook'; reason: string | null } | { type: 'resumePlaybook' },
): void {
  for (const [child, { detached }] of Object.entries(context.state.children)) {
    if (!detached) context.command({ ...what, child });
  }
}

function take(context: Context, id: string): Child | undefined {
  const { state } = context;
  if (!Object.hasOwn(state.children, id)) return undefined;
  const child = state.children[id]!;
  delete state.children[id];
  state.childCount--;
  context.dropTimer(childTimerKey(child.taskRunId));
  return child;
}

function settled(context: Context, child: Child, outcome: Outcome): void {
  context.enqueue({ op: 'settled', frame: child.frame, outcome });
}

function isFalse(value: Json): boolean {
  return value === false || (typeof value === 'string' && value.trim().toLowerCase() === 'false');
}
