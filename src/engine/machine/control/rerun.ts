/**
 * Rerun from a step: a new execution that begins with the state another one had when it reached that step. What had
 * ended before is kept; what other branches had in flight starts again, unless the recorded execution finished it.
 */
import { deepMerge, type Json, type JsonObject, type Plan } from '../../../language/plan';
import { causeOf, type Context, type Input, measured } from '../batch';
import { announce, nameRun, writeVariables } from './control';
import { checkKeychain } from './keychain';
import { askAdmission } from './limits';
import { failExecution, tellOf } from '../tokens';
import { defineMember, initialState, nextUuid, type Reused, seedFrom, type State } from '../state';

/** Where a rerun begins, and with which input. */
interface RerunSeed {
  /** The execution's state just before the step's token was admitted (`Observer.admitting`). */
  readonly recorded: State;
  /** That token. */
  readonly token: string;
  readonly executionId: string;
  /** Plan of the new execution: the recorded one, or a new revision of it. */
  readonly plan: Plan;
  /** By step: what the recorded execution finished later, in branches that do not depend on the step. */
  readonly reuse: Readonly<Record<string, Reused>>;
  /** Only this step runs: other branches end, and nothing follows. */
  readonly alone?: boolean;
}

/** The state the new execution begins with; its first input is `rerun`. */
export function rerunState(seed: RerunSeed): State {
  const { token, executionId, plan, reuse, alone } = seed;
  const recorded = alone ? withOnly(token, seed.recorded) : seed.recorded;
  const { workload, ctx, tokens, forks, results, runCounts, executed, leaves, counters } = recorded;
  const begun = Object.values(recorded.runs);
  const again = new Set(begun.map((run) => run.token));
  const state: State = {
    ...initialState(plan.engineVersion, executionId, seedFrom(executionId), recorded.now),
    ...structuredClone({ workload, ctx, tokens, forks, results, runCounts, executed }),
    // Keeps the caller's loop position, since expressions may refer to it; but no caller waits for this execution, and
    // whoever cancelled their family did not mean this one.
    caller: recorded.caller && { ...recorded.caller, holds: undefined, above: [] },
    ...(recorded.secrets && { secrets: structuredClone(recorded.secrets) }),
    lastChild: recorded.lastChild,
    inbox: structuredClone(recorded.inbox),
    seenEvents: [...recorded.seenEvents],
    leaves: Object.fromEntries(Object.entries(leaves).filter(([leaf]) => hasStep(plan, leaf))),
    counters: { ...counters, tasks: 0, retries: 0 },
    joinsDirty: true,
    reuse: structuredClone(reuse),
    ...(alone && { alone }),
  };
  for (const id of again) state.tokens[id]!.state = 'queued';
  Object.assign(state.tokens[token]!, { state: 'queued', anew: true });
  for (const { step } of begun) {
    defineMember(state.runCounts, step, state.runCounts[step]! - 1);
    state.executed.splice(state.executed.lastIndexOf(step), 1);
  }
  state.work = [
    { op: 'admit', token },
    ...recorded.work.filter(({ op }) => op === 'arrive' || op === 'admit'),
    ...[...again].map((id) => ({ op: 'admit' as const, token: id })),
  ];
  return state;
}

/** Steps of other branches that were in progress do not begin again. */
function withOnly(token: string, recorded: State): State {
  const tokens = Object.fromEntries(Object.entries(recorded.tokens).filter(([id]) => id === token));
  return { ...recorded, tokens, runs: {}, work: [] };
}

function hasStep(plan: Plan, name: string): boolean {
  return plan.steps.some((step) => step.name === name);
}

/** Applies the first input of a rerun: reports the origin, and the tokens it starts with. */
export function rerunFrom(context: Context, input: Extract<Input, { type: 'rerun' }>): void {
  const { state, plan } = context;
  const { origin, payload, secrets, variables } = input;
  if (secrets) state.secrets = { ...state.secrets, ...secrets };
  state.startedAt = state.now;
  state.uuid = nextUuid(state.seed);
  const requested = { payload, rerun: { ...origin } };
  context.emit?.('playbook.execution.requested', plan.metadata.path, 'in_progress', requested);
  try {
    measured(context, { ...variables }, 'the variables');
    measured(context, payload, 'the input');
    const workload = deepMerge(state.workload, payload) as JsonObject;
    state.workload = measured(context, workload, 'the workload with the input');
    nameRun(context);
  } catch (error) {
    return failExecution(context, causeOf(error, 'rerun', [1, 1]));
  }
  const { step } = origin;
  const again = { step, variables: { ...variables } };
  if (!askAdmission(context, again) && !checkKeychain(context, again)) beginAgain(context, step, variables);
}

/** Limits and the keychain check are passed: the rerun continues from its step. */
export function beginAgain(context: Context, from: string, variables: Readonly<Record<string, Json>>): void {
  const { state } = context;
  announce(context, from);
  if (Object.keys(variables).length > 0) writeVariables(context, variables);
  for (const token of state.tokens.values()) tellOf(context, token);
}
