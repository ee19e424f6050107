/** Re-executes the decisions of a recorded run with another version of its playbook, or other inputs, in the recorded world. */
import { type Applied, type InputBatch, type EngineEvent, type Input } from '../../engine/machine';
import { deepMerge, type JsonObject, type Plan } from '../../language/plan';
import { type DecisionComparison, compareDecisions, Decider, type RecordedDecision } from './decisions';
import { type Simulated, simulatePlan } from '../drive';
import { RecordedWorld, type Recording, Renamed, type Supplied } from './recording';

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
  /** Receives every event, as it occurs. */
  readonly events?: (events: readonly EngineEvent[]) => void;
}

/** A run longer than any recorded one: an endless loop. */
const MAX_BATCHES = 100_000;

/** @throws EngineError when this release cannot run the plan, or the recorded state does not fit it */
export function decideAnew(recording: Recording, plan: Plan, options: AnewOptions = {}): Anew {
  const names = new Renamed(recording.plan, plan);
  const world = new RecordedWorld(recording, names, options.supplied);
  const decider = new Decider();
  const { startedAt: startAt, executionId, state } = recording;
  const run = simulatePlan(plan, world, {
    executionId,
    startAt,
    first: world.opening(withPayload(structuredClone(recording.first), options.payload)),
    ...(state && { state }),
    unanswered: 'open',
    maxBatches: MAX_BATCHES,
    isLean: true,
    observer: {
      applied: (batch: InputBatch, applied: Applied) => {
        decider.take(batch.at, applied);
        options.events?.(applied.events);
      },
    },
  });
  return { run, world, decisions: decider.decisions.map((decision) => names.decision(decision)) };
}

function withPayload(first: Input, payload: JsonObject | undefined): Input {
  if (!payload || (first.type !== 'started' && first.type !== 'rerun')) return first;
  return { ...first, payload: deepMerge(first.payload, payload) as JsonObject };
}

/** Compares the new decisions with the recorded ones. */
export function compareWith(recording: Recording, { run, decisions, world }: Anew): DecisionComparison {
  return compareDecisions(recording.decisions, decisions, {
    startedAt: recording.startedAt,
    isCut: run.end === 'stuck' && world.unanswered.length > 0,
  });
}
