/** Kind `playbook`: runs another playbook as a separate execution, whose end is the task's outcome. */
import {
  calledPath,
  failedOutcomeOf,
  isMapping,
  type Json,
  type JsonObject,
  MAX_CALL_DEPTH,
  okOutcome,
  type Outcome,
  secondsOf,
  type TaskCall,
  type TaskPlan,
  workflowId,
} from '../../../language/plan';
import { plainValue } from '../../../language/template/runtime';
import {
  callsOfNext,
  cancelledOutcome,
  type Context,
  EngineError,
  type Input,
  MAX_CALLS,
  measured,
  type RunPlaybook,
} from '../batch';
import {
  type Caller,
  type CalledChild,
  childExecutionId,
  childTimerKey,
  executionsAbove,
  isEmpty,
  type LiveState,
} from '../state';
import { EngineScope, keepSecrets, type EnginePlace, secretsIn } from '../scope';

/**
 * Evaluates the call of a `playbook` task and assigns it a new execution id.
 *
 * @throws EngineError `PLAYBOOK_FIELDS` when a field cannot be read, `PLAYBOOK_DEPTH` when calls are nested too deeply.
 */
export function readCall(
  context: Context,
  task: TaskPlan,
  call: TaskCall,
  place: EnginePlace,
  summary: string,
): RunPlaybook {
  const { state, plan } = context;
  const { payload: given = {}, ...config } = call.config;
  const wrong = (message: string, code = 'PLAYBOOK_FIELDS'): EngineError =>
    new EngineError(code, `task ${task.name}: ${message}`, task.at);
  const text = (field: string): string | undefined => {
    const value = config[field] ?? null;
    if (value === null || value === '') return undefined;
    if (typeof value !== 'string' && typeof value !== 'number') throw wrong(`${field} must be a string`);
    return String(value);
  };
  const named = text('path') ?? text('name');
  if (named === undefined) throw wrong('path must name a playbook');
  const path = calledPath(named, plan.source.catalog && plan.metadata.path);
  const depth = (state.caller?.depth ?? 0) + 1;
  if (depth > MAX_CALL_DEPTH) {
    const message = `playbook ${path} is nested ${depth} calls deep, more than ${MAX_CALL_DEPTH}: does it call itself endlessly?`;
    throw wrong(message, 'PLAYBOOK_DEPTH');
  }
  // An agent may be called with anything.
  const payload = isMapping(given) || config['framework'] === undefined ? given : { input: given };
  if (!isMapping(payload)) throw wrong('payload must be a mapping');
  const iter = iterAt(context, place, task);
  const input = measured(context, { ...call.input, ...payload }, 'the input of the playbook', task.at);
  const secrets = secretsIn([call.input, payload, iter], [state.secrets]);
  const calls = callsOfNext(state);
  const answer = answerOf(config, text, payload);
  state.lastChild = childExecutionId(state.now, state.executionId, call.task_run_id, state.lastChild);
  return {
    type: 'runPlaybook',
    child: state.lastChild,
    call: { ...call, input },
    path,
    version: text('version'),
    ...answer,
    caller: {
      executionId: state.executionId,
      taskRunId: call.task_run_id,
      depth,
      ...(state.caller && { above: [...executionsAbove(state.caller), state.executionId] }),
      ...(calls < MAX_CALLS[1] && { calls }),
      iter,
      ...(!answer.detached && heldBy(state)),
      ...(secrets && { secrets }),
    },
    summary,
  };
}

/** What the child may be given, which result the task gets, and whether it waits for it. */
function answerOf(
  { framework, wait, return_result, only_inputs }: JsonObject,
  text: (field: string) => string | undefined,
  payload: object,
): Pick<RunPlaybook, 'onlyInputs' | 'returnStep' | 'returnResult' | 'detached'> {
  const isAgent = framework !== undefined;
  const choice = flagOf(return_result);
  const [resultStep, returnStep] = [text('result_step'), text('return_step')];
  return {
    ...(flagOf(only_inputs) && { onlyInputs: Object.keys(payload) }),
    returnStep: resultStep ?? returnStep,
    ...((choice === true || resultStep !== undefined || isAgent) && { returnResult: true }),
    detached: !(flagOf(wait) ?? (isAgent || returnStep !== undefined || (choice ?? true))),
  };
}

/** A flag, also as a template writes it; undefined if there is none. */
function flagOf(value: Json | undefined): boolean | undefined {
  const word = String(value ?? '')
    .trim()
    .toLowerCase();
  return word === '' ? undefined : word !== 'false';
}

/** What the child sees as `iter.parent`; null outside loops. */
function iterAt(context: Context, place: EnginePlace, { at }: TaskPlan): JsonObject | null {
  const iter = plainValue(new EngineScope(context, place).lookup('iter')) as JsonObject | undefined;
  return iter && !isEmpty(iter) ? measured(context, iter, '`iter`', at) : null;
}

/** Keepers of the limits that this execution and its callers hold. */
function heldBy({ caller, keepers = [] }: LiveState): Pick<Caller, 'holds'> {
  const holds = [...(caller?.holds ?? []), ...keepers];
  return holds.length > 0 ? { holds } : {};
}

/** Starts the child, and the timer for its time limit if it has one. */
export function startChild(context: Context, frame: string, command: RunPlaybook): void {
  const { state } = context;
  const { child, call, path, detached } = command;
  const taskRunId = call.task_run_id;
  const framework = call.config['framework'] as string | undefined;
  const called = { frame, taskRunId, path, detached, startedAt: state.now, timedOut: null };
  state.children.set(child, { ...called, ...(framework !== undefined && { framework }) });
  state.counters.tasks++;
  context.command(command);
  const limit = secondsOf(call.config['timeout'] ?? null) ?? call.timeout.total;
  if (detached || limit === undefined) return;
  const deadline = state.now + Math.round(limit * 1000);
  context.startTimer(childTimerKey(taskRunId), deadline, { type: 'child', child });
}

/** Fields describing a child in events and outcomes. */
export function childReference(execution_id: string, path: string, version?: string): JsonObject {
  return { execution_id, path, ...(version !== undefined && { version }) };
}

/** A detached child has started: that is its task's outcome. */
export function childStarted(context: Context, input: Extract<Input, { type: 'childStarted' }>): void {
  const { version, digest } = input;
  const child = take(context, input.child);
  if (!child) return;
  const about = { ...childReference(input.child, child.path, version), digest };
  const result = { ...about, workflow_id: workflowId(input.child), status: 'started', async: true };
  context.settle(child.frame, okOutcome(result, { child: about }));
}

/** A child ended, or could not be started. */
export function childSettled(context: Context, input: Extract<Input, { type: 'childSettled' }>): void {
  const child = take(context, input.child);
  if (!child) return;
  const { path, timedOut, startedAt, framework } = child;
  const outcome = keepSecrets(context.state, input.outcome);
  const meta = { ...outcome.meta, duration_ms: context.state.now - startedAt };
  const message = `playbook ${path} did not end within its time limit of ${timedOut} s and was cancelled`;
  const late = { kind: 'timeout', code: 'TIMEOUT', message, retryable: true } as const;
  // A child that completed after its time limit still did its work.
  const isLate = timedOut !== null && outcome.status !== 'ok';
  const ended = isLate ? failedOutcomeOf(late, meta) : { ...outcome, meta };
  context.settle(child.frame, framework === undefined ? ended : envelopeOf(input.child, child, ended));
}

/** The end of a playbook that was called as an agent: a failure is a result too, which rules and arcs read. */
function envelopeOf(
  execution_id: string,
  { framework, path }: CalledChild,
  { result, error, meta }: Outcome,
): Outcome {
  const envelope = {
    status: error === null ? 'ok' : 'error',
    framework: framework!,
    entrypoint: path,
    data: result,
    execution_id,
    duration: (meta['duration_ms'] as number) / 1000,
    ...(error && {
      error: {
        kind: 'agent.execution',
        code: 'PLAYBOOK_FAILED',
        message: error.message,
        retryable: false,
        cause: { kind: error.kind, code: error.code },
      },
    }),
  };
  return okOutcome(envelope, meta);
}

/** The child's time limit has passed: cancel it and wait for it to end. */
export function childTimedOut(context: Context, id: string): void {
  const child = context.state.children.get(id)!;
  child.timedOut = (context.state.now - child.startedAt) / 1000;
  context.command({ type: 'cancelPlaybook', child: id, reason: `time limit of ${child.timedOut} s` });
}

/** Cancels the child of a task run; false when it has none. A detached child outlives its caller. */
export function stopChild(context: Context, taskRunId: string, reason: string | null): boolean {
  const { children } = context.state;
  const id = [...children.keys()].find((key) => children.get(key)!.taskRunId === taskRunId);
  if (id === undefined) return false;
  const isTakenBack = context.takeBack((one) => one.type === 'runPlaybook' && one.child === id);
  if (isTakenBack || children.get(id)!.detached) {
    context.settle(take(context, id)!.frame, cancelledOutcome());
  } else context.command({ type: 'cancelPlaybook', child: id, reason });
  return true;
}

/** Pause and resume propagate to the children this execution waits for. */
export function steerChildren(
  context: Context,
  what: { type: 'pausePlaybook'; reason: string | null } | { type: 'resumePlaybook' },
): void {
  const { children } = context.state;
  for (const child of children.keys()) {
    if (!children.get(child)!.detached) context.command({ ...what, child });
  }
}

function take(context: Context, id: string): CalledChild | undefined {
  const child = context.state.children.take(id);
  if (child) context.dropTimer(childTimerKey(child.taskRunId));
  return child;
}
