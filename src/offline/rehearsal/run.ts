/** Runs rehearsals, without server, tools, or real time. */
import { type LineIndex, type Located } from '../../language/dsl/format';
import { type EngineEvent, type Observer } from '../../engine/machine';
import { type Plan, type SourcePosition } from '../../language/plan';
import { problemsOf } from './check/checks';
import { type RehearsalProblem } from './check/problem';
import { type Rehearsed } from './check/rehearsed';
import { type Rehearsal, type RehearsalFile } from './format/rehearsal';
import { Watch } from './invariants/watch';
import { MockedWorld } from './mocks/mocked-world';
import { simulatePlan } from '../drive';

/** The result of one rehearsal. */
export interface RehearsalResult {
  readonly name: string;
  /** Line and column in the rehearsal file. */
  readonly at: SourcePosition;
  readonly ok: boolean;
  readonly problems: readonly PlacedProblem[];
  /** Milliseconds of simulated time. */
  readonly elapsed: number;
  /** Calls of tools. */
  readonly calls: number;
  readonly steps: readonly string[];
}

export interface PlacedProblem extends Omit<RehearsalProblem, 'at'> {
  /** Line and column in the rehearsal file. */
  readonly at: SourcePosition;
}

/** Runs a rehearsal, without judging it. @param onBatch receives every batch that is applied, outside chunks */
export function rehearse(
  rehearsal: Rehearsal,
  plan: Plan,
  onBatch?: (at: number, events: readonly EngineEvent[]) => void,
): Rehearsed {
  const world = new MockedWorld(rehearsal);
  const { payload, startAt, messages, others, limit: maxBatches, expect } = rehearsal;
  const watch = new Watch(expect.invariants, world.calls, startAt);
  const observer = onBatch ? telling(watch.observer, onBatch) : watch.observer;
  const run = simulatePlan(plan, world, { payload, startAt, messages, others, maxBatches, observer });
  watch.ended(run);
  return { rehearsal, plan, run, world, watch };
}

function telling(
  observer: Observer | undefined,
  onBatch: (at: number, events: readonly EngineEvent[]) => void,
): Observer {
  return {
    ...observer,
    applied: (batch, applied, chunk) => {
      observer?.applied?.(batch, applied, chunk);
      if (chunk === undefined) onBatch(batch.at, applied.events);
    },
  };
}

/** Runs one rehearsal of the file, with its own state. @param onEvents receives the events of the run */
export function runRehearsal(
  rehearsal: Rehearsal,
  { playbook, lines }: RehearsalFile,
  onEvents?: (events: readonly EngineEvent[]) => void,
): RehearsalResult {
  const rehearsed = rehearse(rehearsal, playbook.plan);
  const { run, world } = rehearsed;
  onEvents?.(run.events);
  const problems = problemsOf(rehearsed);
  return {
    name: rehearsal.name,
    at: place(lines, rehearsal.at),
    ok: problems.length === 0,
    problems: problems.map((problem) => ({ ...problem, at: place(lines, problem.at) })),
    elapsed: run.elapsed,
    calls: world.calls.length,
    steps: run.state.executed,
  };
}

function place(lines: LineIndex, { start }: Located): SourcePosition {
  return lines.position(start);
}
