/** Computes the input of a new execution from a recorded one and the step to begin at. */
import { atRest, type RerunOrigin, rerunState, type State } from '../../engine/machine';
import {
  deepMerge,
  handlesIn,
  type Json,
  type JsonObject,
  type RunLabels,
  type Plan,
  type Secrets,
} from '../../language/plan';
import { Derivation, type DerivationOptions, type Watcher } from '../derivation';
import { CodedError } from '../../language/errors';
import { type Pages } from '../follow';
import { changedSteps, firstRevisedStep } from './revision';
import { Survey, type SurveyedVisit } from './survey';

/** Why an execution cannot be rerun from a step: for whoever asked, who can mend it. */
export type RerunRefusal =
  /** The playbook has no step of that name. */
  | 'RERUN_STEP_UNKNOWN'
  /** The execution never came to the step. */
  | 'RERUN_STEP_NOT_RUN'
  /** The new revision differs before the step. */
  | 'RERUN_GRAPH_DIFFERS'
  /** This release does not follow the history up to the step. */
  | 'RERUN_DIVERGED';

/** @throws CodedError */
export function refuse(code: RerunRefusal, message: string): never {
  throw new CodedError<RerunRefusal>(code, message);
}

interface RerunRequest {
  /** Its last run or, as `fetch#2`, that run; defaults to the step at which the execution began. */
  readonly from?: string;
  /** Begins at the step whose failure ended the execution, instead of `from`. */
  readonly fromFailure?: boolean;
  /** Runs that step only: other branches end, nothing follows, and its graph need not be the recorded one. */
  readonly alone?: boolean;
  /** Id of the new execution. */
  readonly executionId: string;
  /** Merged over the recorded workload. */
  readonly payload?: JsonObject;
  /** Override the recorded variables. */
  readonly variables?: JsonObject;
  /** Another revision of the playbook; defaults to the recorded one. */
  readonly revision?: Plan;
  readonly converter?: DerivationOptions['converter'];
}

interface PreparedRerun {
  readonly plan: Plan;
  readonly origin: RerunOrigin;
  /** The workflow's input, `PlaybookInput`: without a state if the execution ended before its first step. */
  readonly input: {
    readonly plan: Plan;
    readonly payload: JsonObject;
    readonly secrets?: Secrets;
    readonly state?: State;
    readonly rerun?: { readonly origin: RerunOrigin; readonly variables: JsonObject };
  };
  /** The base that the new execution's workload is merged over. */
  readonly workload: JsonObject;
  /** Those that its start was given, beside the playbook's. */
  readonly labels: RunLabels;
  /** Steps whose recorded results are kept although the new revision changes the step. */
  readonly changed: readonly string[];
}

/**
 * @param open reads the recorded history from its start; it is read twice
 * @throws CodedError RerunRefusal when the step cannot be begun at, `HISTORY` when this is not the history of a playbook
 */
export async function prepareRerun(open: () => Pages, request: RerunRequest): Promise<PreparedRerun> {
  const { executionId, payload = {}, converter, alone } = request;
  const survey = new Survey();
  const derivation = new Derivation({ converter, watcher: survey, silent: true });
  for await (const page of open()) await derivation.pass(page);
  const { plan: recordedPlan, divergence } = derivation;
  if (divergence) {
    refuse(
      'RERUN_DIVERGED',
      `this release cannot replay the history: ${divergence.message}; use the release that ran it`,
    );
  }
  const plan = request.revision ?? recordedPlan;
  const from = request.fromFailure ? failedStepOf(derivation) : request.from;
  if (endedBeforeItsFirstStep(survey, derivation, from))
    return anew(derivation, survey.lastEventId, plan, request);
  const index = visitOf(survey.visits, from, derivation);
  const visit = survey.visits[index]!;
  const { step, stepRun } = visit;
  if (!plan.steps.some(({ name }) => name === step)) {
    refuse('RERUN_STEP_UNKNOWN', `the new revision has no step ${step}`);
  }
  const recorded = await recordedAt(open, index, { converter });
  const tokens = Object.values(recorded.tokens);
  const elsewhere = tokens.map((token) => token.step);
  const difference = alone ? undefined : firstRevisedStep(recordedPlan, plan, step, elsewhere);
  if (difference !== undefined) {
    refuse(
      'RERUN_GRAPH_DIFFERS',
      `the graph before step ${step} differs: ${difference}; begin at an earlier step, or start a new run`,
    );
  }
  const changed = changedSteps(recordedPlan, plan);
  const underWay = new Set(Object.values(recorded.runs).map((run) => run.step));
  const reuse = survey.reusable(
    visit,
    (name) =>
      !alone && !changed.has(name) && (underWay.has(name) || !Object.hasOwn(recorded.runCounts, name)),
  );
  const origin = {
    execution_id: recorded.executionId,
    step,
    step_run_id: stepRun,
    event_id: visit.eventId,
    digest: recordedPlan.digest,
    ...(alone && { alone }),
  };
  const state = rerunState({ recorded, token: visit.token, executionId, plan, reuse, alone });
  const variables = over(recorded.ctx, request.variables ?? {});
  return {
    plan,
    origin,
    input: { plan, state, payload, rerun: { origin, variables } },
    workload: state.workload,
    labels: givenLabels(derivation),
    changed: Object.keys(state.results).filter((name) => changed.has(name)),
  };
}

/** Undefined if it failed before its first step. */
function failedStepOf({ state, plan }: Derivation): string | undefined {
  const step = state.failure?.step;
  if (state.failure && (step === undefined || plan.steps.some(({ name }) => name === step))) return step;
  refuse(
    'RERUN_STEP_NOT_RUN',
    `execution ${state.executionId} has not failed at a step: name the step to begin at`,
  );
}

/** An execution whose keychain did not resolve ends like this; its rerun keeps the tokens it was given. */
function endedBeforeItsFirstStep(
  survey: Survey,
  { plan, state }: Derivation,
  from: string | undefined,
): boolean {
  const isStart = from === undefined || from === plan.start || from === `${plan.start}#1`;
  return isStart && survey.visits.length === 0 && Object.keys(state.tokens).length === 0;
}

/** Runs all of it again with the recorded workload: there is no other state to continue from. */
function anew(derivation: Derivation, event_id: string, plan: Plan, request: RerunRequest): PreparedRerun {
  const { state, plan: recorded } = derivation;
  if (Object.keys(request.variables ?? {}).length > 0) {
    refuse(
      'RERUN_STEP_NOT_RUN',
      `execution ${state.executionId} ended before its first step, so it has no variables to override`,
    );
  }
  const payload = deepMerge(state.workload, request.payload ?? {}) as JsonObject;
  const secrets = secretsOf(payload, state.secrets ?? {});
  return {
    plan,
    origin: {
      execution_id: state.executionId,
      step: plan.start,
      step_run_id: `${plan.start}#1`,
      event_id,
      digest: recorded.digest,
    },
    input: { plan, payload, ...(secrets && { secrets }) },
    workload: state.workload,
    labels: givenLabels(derivation),
    changed: [],
  };
}

/** Another revision of the playbook has labels of its own. */
function givenLabels({ origin, plan }: Derivation): RunLabels {
  const all = Object.entries(origin?.labels ?? {});
  return Object.fromEntries(all.filter(([key, value]) => plan.metadata.labels?.[key] !== value));
}

/** The secrets behind handles of secret inputs. Those of the keychain are created anew. */
function secretsOf(payload: JsonObject, secrets: Secrets): Secrets | undefined {
  const ids = [...handlesIn(payload, secrets)];
  return ids.length === 0 ? undefined : Object.fromEntries(ids.map((id) => [id, secrets[id]!]));
}

/** The requested visit, by its index among all. */
function visitOf(
  visits: readonly SurveyedVisit[],
  from: string | undefined,
  { plan, state }: Derivation,
): number {
  if (from === undefined && visits.length > 0) return 0;
  from ??= plan.start;
  const index = visits.findLastIndex(({ step, stepRun }) => step === from || stepRun === from);
  if (index >= 0) return index;
  const [name] = from.split('#');
  if (!plan.steps.some((step) => step.name === name)) {
    const names = plan.steps.map((step) => step.name).join(', ');
    refuse('RERUN_STEP_UNKNOWN', `the playbook has no step ${name}; it has ${names}`);
  }
  const ran = [...new Set(visits.map(({ step, stepRun }) => (step === name ? stepRun : step)))].join(', ');
  refuse(
    'RERUN_STEP_NOT_RUN',
    `execution ${state.executionId} never reached ${from}; it reached ${ran || 'no step'}`,
  );
}

/** The state at a visit, by its index among all: just before its token is admitted. */
async function recordedAt(open: () => Pages, index: number, options: DerivationOptions): Promise<State> {
  let state: State | undefined;
  let seen = 0;
  const stop = new Error('stop');
  const watcher: Watcher = {
    admitting: (_token, now) => {
      if (seen++ !== index) return;
      state = structuredClone(atRest(now));
      throw stop;
    },
  };
  const derivation = new Derivation({ ...options, watcher, silent: true });
  try {
    for await (const page of open()) await derivation.pass(page);
  } catch (error) {
    if (error !== stop || !state) throw error;
    return state;
  }
  return refuse('RERUN_DIVERGED', 'the history changed while being read: try again');
}

/** The complete new values of the named variables: setting a part of one keeps the rest. */
function over(ctx: JsonObject, variables: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]): [string, Json] => [
      name,
      Object.hasOwn(ctx, name) ? deepMerge(ctx[name]!, value) : value,
    ]),
  );
}
