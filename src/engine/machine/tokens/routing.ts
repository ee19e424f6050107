/** The router: which arcs fire at a step's end, and which tokens they create. */
import {
  type ArcPlan,
  type Json,
  type JsonObject,
  type RouterPlan,
  type RulePlan,
} from '../../../language/plan';
import { assignAll, EventView, holds, mappingAt, type EnginePlace } from '../scope';
import { causeOf, type Context, causeError, measured, noteOnce, ofRun } from '../batch';
import { unhandledFailure } from './finish';
import { type BoundaryEvent, defineMember, type FailureCause, type StepResult, type StepRun } from '../state';
import { endToken, forward, type NextToken } from './token';

/** Evaluates the arcs and moves or ends the token; an unhandled failure is passed to the execution. */
export function routeStep(
  context: Context,
  run: StepRun,
  result: StepResult,
  cause: FailureCause | null,
): void {
  const { state } = context;
  const token = state.tokens.get(run.token);
  if (!token) return;
  const step = context.step(run.step);
  const router = routerOf(context, run);
  const place: EnginePlace = {
    run,
    own: result,
    outcome: (result.type === 'tasks' && result.last) || undefined,
  };
  let next: NextToken[] | null = null;
  let failure = cause;
  try {
    next = fire(context, run, cause, place);
  } catch (error) {
    failure = { ...causeOf(error, `router of step ${step.name}`, step.at) };
  }
  if (next && next.length > 0) {
    return forward(context, token, run, next, () => boundaryEvent(cause, run));
  }
  if (failure && !next) return unhandledFailure(context, token, { ...failure, step: step.name });
  if (router?.arcs.length) {
    if (!next) noteDeadEnd(context, run, router);
    endToken(context, token, 'no arc matched');
  } else endToken(context, token, 'done');
  defineMember(state.leaves, step.name, true);
}

/** Something could have followed, and nothing does. */
function noteDeadEnd(context: Context, run: StepRun, { arcs }: RouterPlan): void {
  const { name, at, rules } = context.step(run.step);
  const structural = arcs.filter(({ rule }) => rule === undefined);
  if (structural.some(({ handlesFailure }) => !handlesFailure)) {
    const message = `step ${name} ended and none of its arcs matched: nothing follows`;
    noteOnce(context, 'NO_ARC_MATCHED', message, at, { run, index: null });
  }
  const handlesFailure = ({ onError, readsFailure, seesError }: Partial<RulePlan> = {}): boolean =>
    (onError ?? readsFailure ?? seesError) === true;
  const isOpen = arcs.some(({ rule }) => rule !== undefined && !handlesFailure(rules?.rules[rule]));
  if (structural.length === 0 && isOpen && !run.rules?.fired) {
    const message = `step ${name} ended and no rule of its case matched: nothing follows`;
    noteOnce(context, 'NO_RULE_MATCHED', message, at, { run, index: null });
  }
}

/** None if the execution consists of this step alone. */
function routerOf(context: Context, run: StepRun): RouterPlan | undefined {
  return context.state.alone ? undefined : context.step(run.step).router;
}

/** The tokens to create; null when no arc fires; those whose target is null end the token. */
function fire(
  context: Context,
  run: StepRun,
  cause: FailureCause | null,
  place: EnginePlace,
): NextToken[] | null {
  const router = routerOf(context, run);
  if (!router) return null;
  // If a rule of `case` chose, only its arcs fire; otherwise the arcs that belong to no rule are evaluated.
  const chosen = run.rules?.route && chosenOnce(context, router, run.rules.route, run);
  // What `explain` shows; not built when no events are requested.
  const verdicts: Json[] | null = context.emit ? [] : null;
  // Nearly always one: `push` would allocate room for seventeen.
  let selected: readonly number[] = [];
  for (let index = 0; index < router.arcs.length; index++) {
    const arc = router.arcs[index]!;
    let verdict: string;
    if (chosen?.includes(index)) {
      verdict = 'fires: chosen by a rule of case';
      selected = [...selected, index];
    } else if (chosen || arc.rule !== undefined) {
      verdict = chosen ? 'a rule of case chose another arc' : 'its rule did not fire';
    } else if (router.mode === 'exclusive' && selected.length > 0) {
      verdict = 'not evaluated: an earlier arc fired';
    } else if (cause && !arc.handlesFailure) {
      verdict = 'not evaluated: the step failed and the guard does not handle failures';
    } else {
      const matched = arc.when === undefined || holds(context, arc.when, guardPlace(place, arc, cause));
      verdict = matched ? 'fires' : 'guard is false';
      if (matched) selected = [...selected, index];
    }
    verdicts?.push({ step: arc.step, at: [...arc.at], when: arc.when?.source ?? null, verdict });
  }
  if (verdicts) {
    context.emit?.('next.evaluated', run.step, 'success', { mode: router.mode, arcs: verdicts }, ofRun(run));
    const steps = selected.map((index) => router.arcs[index]!.step);
    if (steps.length > 0) {
      context.emit?.('next.selected', run.step, 'success', { arcs: [...selected], steps }, ofRun(run));
    }
  }
  if (selected.length === 0) return null;
  const next = selected.map((index) => {
    const arc = router.arcs[index]!;
    return { step: arc.step, args: argsOf(context, arc, cause, place) };
  });
  return next.every(leadsOn) ? next : next.filter(leadsOn);
}

/** The choices of rules, each target once: from the rule that chose it first. */
function chosenOnce(
  context: Context,
  { arcs }: RouterPlan,
  route: readonly number[],
  run: StepRun,
): readonly number[] {
  const first = new Map<string | null, ArcPlan>();
  return [...new Set(route)].filter((index) => {
    const arc = arcs[index]!;
    const { step, rule, at } = arc;
    const earlier = first.get(step) ?? arc;
    first.set(step, earlier);
    if (earlier.rule === rule) return true;
    if (arc.args !== undefined || arc.set.length > 0) {
      const message = `rules chose step ${step} more than once: the arguments of the first choice (line ${earlier.at[0]}) count`;
      noteOnce(context, 'CHOICE_DROPPED', message, at, { run, index: null });
    }
    return false;
  });
}

function leadsOn(target: { readonly step: string | null }): target is NextToken {
  return target.step !== null;
}

/** The arguments the arc gives to the token it creates. */
function argsOf(context: Context, arc: ArcPlan, cause: FailureCause | null, place: EnginePlace): JsonObject {
  const args: JsonObject = {};
  if (arc.args === undefined && arc.set.length === 0) return args;
  const seen =
    arc.rule === undefined ? guardPlace(place, arc, cause) : actionPlace(context, place, arc, cause);
  Object.assign(args, mappingAt(context, arc.args, seen));
  // A bare name or `step.x` set on an arc becomes an argument of the token (arc inscription).
  assignAll(context, arc.set, seen, { iter: args, step: args, local: args });
  return measured(context, args, `the arguments for step ${arc.step}`, arc.at);
}

/** What an arc's guard and writes can see. */
function guardPlace(place: EnginePlace, arc: ArcPlan, cause: FailureCause | null): EnginePlace {
  const { names, fields } = boundaryEvent(cause, place.run!, arc.seesError);
  return {
    run: place.run,
    own: place.own,
    outcome: place.outcome,
    event: new EventView(names, fields),
    error: cause ? causeError(cause) : undefined,
    hidesResponse: cause !== null && arc.hidesResponse === true,
  };
}

/** The arc is an action of `case`: its args see `result`, like all actions. */
function actionPlace(
  context: Context,
  place: EnginePlace,
  arc: ArcPlan,
  cause: FailureCause | null,
): EnginePlace {
  const rule = context.step(place.run!.step).rules!.rules[arc.rule!]!;
  return {
    ...guardPlace(place, arc, cause),
    hidesResponse: cause !== null && !rule.readsFailure,
    call: { index: 1, count: 1, writing: true },
  };
}

/** The end of a step run: canonical name first, then the aliases that apply; `sees`: the reader handles failures. */
function boundaryEvent(cause: FailureCause | null, run: StepRun, sees = false): BoundaryEvent {
  const names = cause
    ? ['step.failed', 'call.error', ...(sees ? ['call.done', 'step.exit'] : [])]
    : [...(run.loop ? ['loop.done'] : []), 'step.done', 'step.exit', 'call.done'];
  const error = cause && causeError(cause);
  return { names, fields: { step: run.step, status: cause ? 'error' : 'ok', error, step_run_id: run.id } };
}
