/** Inputs outside the flow of tokens: start, pause, resume, variables. */
import {
  compact,
  deepMerge,
  inMiB,
  type Json,
  type JsonObject,
  jsonSize,
  MAX_RUN_NAME,
  MAX_VALUE_SIZE,
  type PlanValue,
} from '../../../language/plan';
import { messageOf } from '../../../language/errors';
import { definedAt, mappingAt, patched, evaluateAt } from '../scope';
import { steerChildren, wantAgain } from '../calls';
import { steerChunks } from '../loop';
import {
  causeOf,
  type Context,
  EngineError,
  type EventStatus,
  type EventType,
  type Input,
  measured,
  takeNotes,
} from '../batch';
import { admitHeld, enterAt, failExecution } from '../tokens';
import { checkKeychain } from './keychain';
import { askAdmission, askAgain } from './limits';
import { type Caller, defineMember, nextUuid } from '../state';

/** The first input: renders the workload, with the payload merged over it, and places the entry token. */
export function start(
  context: Context,
  { payload, caller, secrets }: Extract<Input, { type: 'started' }>,
): void {
  const { state, plan } = context;
  state.caller = caller ?? null;
  if (caller?.secrets || secrets) state.secrets = { ...secrets, ...caller?.secrets };
  state.startedAt = state.now;
  state.uuid = nextUuid(state.seed);
  const requested = { payload, caller: caller && callerReference(caller), ...origin(context) };
  context.emit?.('playbook.execution.requested', plan.metadata.path, 'in_progress', requested);
  try {
    materialise(context, payload);
    nameRun(context);
  } catch (error) {
    return failExecution(context, causeOf(error, 'workload', [1, 1]));
  }
  if (!askAdmission(context) && !checkKeychain(context)) beginRun(context);
}

/** Limits and the keychain check are passed: the workflow begins. */
export function beginRun(context: Context): void {
  announce(context, context.plan.start);
  enterAt(context, context.plan.start);
}

/** The catalog version that runs. */
function origin({ plan: { source } }: Context): JsonObject {
  return source.catalog ? { catalog_id: source.catalog.id, catalog_version: source.catalog.version } : {};
}

/** The request was accepted and the workflow begins at the step `start`. */
export function announce(context: Context, start: string): void {
  const { state, plan } = context;
  const { name, path, version } = plan.metadata;
  const evaluated = { digest: plan.digest, version, ...origin(context) };
  context.emit?.('playbook.request.evaluated', path, 'success', evaluated);
  const { workload, runName } = state;
  context.emit?.('playbook.started', path, 'in_progress', { workload, ...compact({ run_name: runName }) });
  context.emit?.('workflow.started', name, 'in_progress', { start, steps: plan.steps.length });
}

function callerReference({ executionId, taskRunId, depth }: Caller): JsonObject {
  return { execution_id: executionId, task_run_id: taskRunId, depth };
}

/**
 * workload = rendered defaults with the payload deep-merged over them. Keys are rendered in the author's order and see
 * the payload and the preceding keys.
 */
function materialise(context: Context, payload: JsonObject): void {
  const { state, plan } = context;
  state.workload = { ...measured(context, payload, 'the input') };
  const defaults = plan.workload;
  const entries: readonly (readonly [string, PlanValue])[] =
    'map' in defaults
      ? defaults.map
      : Object.entries(mappingAt(context, defaults, {})).map(([key, value]) => [key, { const: value }]);
  const rendered = new Map<string, Json>(entries.map(([key]) => [key, null]));
  for (const [key, template] of entries) {
    const value = evaluateAt(context, template, {});
    const merged = Object.hasOwn(payload, key) ? deepMerge(value, payload[key]!) : value;
    rendered.set(key, merged);
    state.workload = { ...Object.fromEntries(rendered), ...state.workload, [key]: merged };
  }
  measured(context, state.workload, 'the workload with the input');
}

/** Evaluates the name of the execution; without one it runs all the same, and a note says why. */
export function nameRun(context: Context): void {
  const { runName: template } = context.plan.metadata;
  if (!template) return;
  try {
    const value = definedAt(context, template, {});
    if (value === null || typeof value === 'object')
      throw new EngineError('RUN_UNNAMED', `its value is ${value === null ? 'null' : 'no text'}`);
    // Databases behind Temporal refuse a NUL and half a character.
    const text = [
      ...String(value)
        .slice(0, 10 * MAX_RUN_NAME)
        .replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
        .trim(),
    ];
    context.state.runName =
      text.length > MAX_RUN_NAME ? `${text.slice(0, MAX_RUN_NAME - 1).join('')}…` : text.join('');
  } catch (error) {
    const at = ('template' in template && template.template.at) || ([1, 1] as const);
    const message = `the execution has no name: ${messageOf(error)}`;
    takeNotes(context.state, { kept: [{ code: 'RUN_UNNAMED', message, at }], count: 1 });
  }
}

/** No new task starts; running tasks finish. */
export function pause(context: Context, reason: string | null): void {
  if (context.state.status !== 'running') return;
  context.state.status = 'paused';
  tell(context, 'playbook.paused', 'paused', { reason });
  steerChildren(context, { type: 'pausePlaybook', reason });
  steerChunks(context, { type: 'pauseChunk', reason });
}

export function resume(context: Context): void {
  if (context.state.status !== 'paused') return;
  context.state.status = 'running';
  tell(context, 'playbook.resumed', 'in_progress', {});
  askAgain(context);
  admitHeld(context);
  wantAgain(context);
  steerChildren(context, { type: 'resumePlaybook' });
  steerChunks(context, { type: 'resumeChunk' });
}

/** A chunk follows its execution, which has already emitted the event. */
function tell(context: Context, type: EventType, status: EventStatus, payload: JsonObject): void {
  if (!context.state.part) context.emit?.(type, context.plan.metadata.path, status, payload);
}

/**
 * Writes execution variables from outside: `vars` and `ctx` are one store.
 * What is too large is ignored: its sender was told so, if there was somebody to tell.
 */
export function writeVariables(context: Context, variables: Readonly<Record<string, Json>>): void {
  const size = jsonSize(variables);
  context.write(size);
  if (size > MAX_VALUE_SIZE) {
    const reason = `they come to more than ${inMiB(MAX_VALUE_SIZE)} as JSON`;
    context.emit?.('variables.set', 'ctx', 'skipped', { names: Object.keys(variables), reason });
    return;
  }
  for (const [name, value] of Object.entries(variables)) defineMember(context.state.ctx, name, value);
  context.emit?.('variables.set', 'ctx', 'success', { variables: { ...variables } });
  patched(context, { ...variables }, null);
}

export function dropVariables(context: Context, names: readonly string[]): void {
  for (const name of names) delete context.state.ctx[name];
  context.emit?.('variables.deleted', 'ctx', 'success', { names: [...names] });
}

/** After continue-as-new, sets every timer again by its absolute deadline. */
export function continueExecution(context: Context): void {
  context.state.draining = false;
  context.state.continuations = (context.state.continuations ?? 0) + 1;
  for (const [key, { deadline }] of Object.entries(context.state.timers)) {
    context.command({ type: 'startTimer', key, deadline });
  }
}
