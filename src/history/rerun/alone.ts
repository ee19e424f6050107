/** Computes the input of an execution that runs one step, with values given for it instead of recorded ones. */
import { atRest, Machine, rerunState, type RerunOrigin, type State } from '../../engine/machine';
import {
  isMapping,
  type Json,
  type JsonObject,
  okOutcome,
  type Plan,
  type Secrets,
  type StepPlan,
} from '../../language/plan';
import { refuse } from './prepare';

interface StepRequest {
  readonly step: string;
  /** The arguments of its token; names of other steps are their results. */
  readonly input: JsonObject;
  /** Inputs of the execution, and the secrets behind their handles. */
  readonly payload: JsonObject;
  readonly secrets?: Secrets;
  readonly variables: JsonObject;
  readonly executionId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface PreparedStep {
  readonly plan: Plan;
  readonly state: State;
  readonly payload: JsonObject;
  readonly rerun: { readonly origin: RerunOrigin; readonly variables: JsonObject };
}

/** @throws CodedError `RERUN_STEP_UNKNOWN`; `RERUN_STEP_NOT_RUN` if the workload cannot be evaluated */
export function prepareStep(plan: Plan, request: StepRequest): PreparedStep {
  const { step: name, input, executionId, variables } = request;
  const step = plan.steps.find((one) => one.name === name);
  if (!step) {
    const names = plan.steps.map((one) => one.name).join(', ');
    return refuse('RERUN_STEP_UNKNOWN', `the playbook has no step ${name}; it has ${names}`);
  }
  const { state: begun, token } = begunState(plan, request);
  const others = new Map(plan.steps.flatMap((one) => (one.name === name ? [] : [[one.name, one] as const])));
  const given = Object.entries(input);
  const args = Object.fromEntries(given.filter(([key]) => !others.has(key)));
  const results = Object.fromEntries(
    given.flatMap(([key, value]) => (others.has(key) ? [[key, resultOf(others.get(key)!, value)]] : [])),
  );
  const recorded: State = {
    ...begun,
    results,
    tokens: { [token]: { ...begun.tokens[token]!, step: name, args } },
  };
  const state = rerunState({ recorded, token, executionId, plan, reuse: {}, alone: true });
  const origin = {
    execution_id: executionId,
    step: name,
    step_run_id: `${name}#1`,
    event_id: '',
    digest: plan.digest,
    alone: true,
  } as const;
  return { plan, state, payload: {}, rerun: { origin, variables } };
}

/** The state with which an execution begins: its workload evaluated, a token before its first step. */
function begunState(
  plan: Plan,
  { executionId, now, payload, secrets }: StepRequest,
): { state: State; token: string } {
  let begun: { state: State; token: string } | undefined;
  // Limits and the keychain are asked when the step begins.
  const { concurrency: _, debounce: __, ...unlimited } = plan;
  const machine = Machine.create({ ...unlimited, keychain: [] }, executionId, now);
  const inputs = [{ type: 'started', payload, ...(secrets && { secrets }) } as const];
  machine.apply(
    { at: now, inputs },
    { admitting: (token, state) => void (begun ??= { token, state: structuredClone(atRest(state)) }) },
  );
  if (begun) return begun;
  const why = machine.state.failure?.message ?? 'it does not begin';
  return refuse('RERUN_STEP_NOT_RUN', `the workload of the playbook: ${why}`);
}

/** What templates read of a step that ended with this value. */
function resultOf(step: StepPlan, value: Json): State['results'][string] {
  if (step.loop) {
    const results = Array.isArray(value)
      ? value
      : isMapping(value) && Array.isArray(value['results'])
        ? value['results']
        : [value];
    return {
      type: 'loop',
      status: 'ok',
      results,
      success: results.length,
      failed: 0,
      notStarted: 0,
      error: null,
    };
  }
  const task = step.tasks.at(-1);
  if (!task) return { type: 'tasks', status: 'ok', last: null, tasks: null, iter: {} };
  const last = { kind: task.kind, outcome: okOutcome(value) };
  return { type: 'tasks', status: 'ok', last, tasks: step.pipeline ? { [task.name]: last } : null, iter: {} };
}
