/** Where a token goes when its step has ended (docs/design/tokens.md, Routing). */
import { type Choice } from './case';
import { type Arc, type Dict, type Step, withinBlocks } from './document';
import { type Frame, type Place } from './frame';
import { type Execution, type Failure } from './run';
import { type Target } from './tokens';
import { EventView, holds, mapOf, type Outcome, OutcomeView, ResultView, valueOf } from './values';

export interface RouteRequest {
  readonly execution: Execution;
  readonly step: Step;
  readonly frame: Frame;
  readonly choices: readonly Choice[];
  readonly outcome: Outcome;
  readonly result: unknown;
  readonly failure: Failure | undefined;
}

export function routed(request: RouteRequest): Target[] {
  const { execution, step, choices, failure } = request;
  const place = placeOf(request);
  if (choices.length > 0) return united(choices, execution).map((arc) => fire(arc, request, place));
  const { arcs, inclusive } = step.next;
  const candidates = failure ? arcs.filter(({ when }) => handlesFailure(step, String(when ?? ''))) : arcs;
  const matching = candidates.filter(({ when }) => holds(when, request.frame.names(place)));
  const isMissing = arcs.some(({ when }) => !handlesFailure(step, String(when ?? '')));
  if (!failure && matching.length === 0 && isMissing) execution.note('NO_ARC_MATCHED');
  return (inclusive ? matching : matching.slice(0, 1)).map((arc) => fire(arc, request, place));
}

/**
 * Each target once, in the order of the rules, with the arguments of the first choice: of iterations that of the first rule,
 * before any of the end. A list that names a target twice means both.
 */
function united(choices: readonly Choice[], execution: Execution): Arc[] {
  const ofIterations = choices.filter(({ isOfIteration }) => isOfIteration).sort((a, b) => a.rule - b.rule);
  const kept: Choice[] = [];
  for (const choice of [...ofIterations, ...choices.filter(({ isOfIteration }) => !isOfIteration)]) {
    const others = kept.filter(({ arc }) => arc.step === choice.arc.step);
    const isTwice = others.every(
      ({ rule, position }) => rule === choice.rule && position !== choice.position,
    );
    if (others.length > 0 && isTwice) execution.hits.add('namedTwice');
    if (isTwice) kept.push(choice);
    else if (others.some(({ rule }) => rule !== choice.rule)) execution.hits.add('firstChoice');
  }
  const inOrder = kept.sort((a, b) => a.rule - b.rule || a.position - b.position);
  return inOrder.map(({ arc }) => arc);
}

function placeOf({ step, outcome, result, failure }: RouteRequest): Place {
  const isLoop = step.loop !== undefined;
  const done = [...(isLoop ? ['loop.done'] : []), 'step.done', 'step.exit', 'call.done'];
  return {
    event: new EventView(failure ? ['step.failed', 'step.exit', 'call.error'] : done),
    response: failure ? undefined : isLoop ? new ResultView(outcome, result) : new ResultView(outcome),
    result: new ResultView(outcome, result),
    this: new OutcomeView(outcome),
    output: new OutcomeView(outcome),
    outcome: new OutcomeView(outcome),
    error: failure ?? outcome.error ?? undefined,
  };
}

/** After a failure only arcs count that look at it. */
function handlesFailure(step: Step, guard: string): boolean {
  if (/\bevent\b|\berror\b|\b(output|outcome|response|this)\.(status|error|http|pg|py)\b/.test(guard))
    return true;
  if (new RegExp(`\\b${step.name}\\.(status|error)\\b`).test(guard)) return true;
  const failing = withinBlocks(step.tasks).flatMap(({ rules = [] }) =>
    rules.filter(({ then }) => then['do'] === 'fail'),
  );
  const keys = failing.flatMap(({ then }) =>
    Object.keys({ ...(then['set_ctx'] as Dict | undefined), ...(then['set'] as Dict | undefined) }),
  );
  return keys.some((key) => new RegExp(`\\b(ctx|vars)\\.${key.replace(/^ctx\./, '')}\\b`).test(guard));
}

function fire({ step, args, set }: Arc, { frame }: RouteRequest, place: Place): Target {
  const bare: Dict = {};
  for (const [key, raw] of Object.entries(set)) {
    if (/^(ctx|vars)\./.test(key)) frame.write({ [key]: raw }, 'ctx', place);
    else bare[key] = valueOf(raw, frame.names(place)) ?? null;
  }
  return { step, args: { ...mapOf(args, frame.names(place)), ...bare } };
}
