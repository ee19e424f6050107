/** Re-executes the decisions of a recorded run with another version of its playbook, or other inputs, in the recorded world. */
import { type Applied, type InputBatch, type EngineEvent, type Input } from '../../engine/machine';
import { deepMerge, type JsonObject, type Outcome, type Plan, taskPlaceIn } from '../../language/plan';
import { type DecisionComparison, compareDecisions, Decider, type RecordedDecision } from './decisions';
import { type Simulated, simulatePlan } from '../drive';
import { decidedByAnswers } from './by-answers';
import { placeOf, RecordedWorld, type Recording, recordedOutcome, Renamed, type Supplied } from './recording';

export interface Anew {
  readonly run: Simulated;
  /** In terms of the recorded names. */
  readonly decisions: readonly RecordedDecision[];
  readonly world: RecordedWorld;
}

export interface AnewOptions {
  /** Merged over the recorded payload. */
  readonly payload?: JsonObject;
  readonly supplied?: Supplied;
  /** Called when the run begins, again if it has to be begun once more: receives every event, as it occurs. */
  readonly events?: () => (events: readonly EngineEvent[]) => void;
}

/** A run longer than any recorded one: an endless loop. */
const MAX_BATCHES = 100_000;

/** @throws EngineError when this release cannot run the plan, or the recorded state does not fit it */
export function decideAnew(recording: Recording, plan: Plan, options: AnewOptions = {}): Anew {
  const names = new Renamed(recording.plan, plan);
  const withheld = new Map<string, string>();
  for (;;) {
    const world = new RecordedWorld(recording, names, options.supplied, withheld);
    const anew = decideIn(world, plan, options);
    if (!world.misread) return anew;
    const { call, part } = world.misread;
    const place = placeOf(taskPlaceIn(call));
    if (withheld.has(place)) return anew;
    withheld.set(withheld.size < MAX_ATTEMPTS ? call : place, part);
  }
}

function decideIn(world: RecordedWorld, plan: Plan, options: AnewOptions): Anew {
  const { recording, names } = world;
  const decider = new Decider();
  const { startedAt: startAt, executionId, state } = recording;
  const tell = options.events?.();
  const run = simulatePlan(plan, world, {
    executionId,
    startAt,
    first: world.opening(beginningWith(structuredClone(recording.first), options.payload)),
    ...(state && { state }),
    unanswered: 'open',
    maxBatches: MAX_BATCHES,
    isLean: true,
    evaluator: world.evaluate,
    observer: {
      applied: (batch: InputBatch, applied: Applied) => {
        decider.take(batch.at, applied);
        tell?.(applied.events);
      },
    },
  });
  return { run, world, decisions: decider.decisions.map((decision) => names.decision(decision)) };
}

/** After so many calls whose omitted parts are read, all calls of a task stay open at once. */
const MAX_ATTEMPTS = 5;

/** The beginning, with these inputs merged over its own. */
export function beginningWith(first: Input, payload: JsonObject | undefined): Input {
  if (!payload || (first.type !== 'started' && first.type !== 'rerun')) return first;
  return { ...first, payload: deepMerge(first.payload, payload) as JsonObject };
}

/** Compares the new decisions with the recorded ones. @param byAnswers calls of code by what they answer */
export function compareWith(recording: Recording, anew: Anew, byAnswers = false): DecisionComparison {
  const { run, world } = anew;
  const was = byAnswers
    ? decidedByAnswers(recording.decisions, recordedAnswers(recording))
    : recording.decisions;
  return compareDecisions(was, byAnswers ? inAnswers(anew) : anew.decisions, {
    startedAt: recording.startedAt,
    isCut: run.end === 'stuck' && world.unanswered.length > 0,
  });
}

/** The new decisions, calls of code by what they answered. */
export function inAnswers({ decisions, world }: Anew): readonly RecordedDecision[] {
  const given = new Map(
    world.given.map(({ call, answer }) => [world.names.id(call.task_run_id), answer.outcome]),
  );
  return decidedByAnswers(decisions, (id) => given.get(id));
}

function recordedAnswers({ calls }: Recording): (id: string) => Outcome | undefined {
  return (id) => {
    const end = calls.get(id)?.end;
    return end && recordedOutcome(end);
  };
}
