/** Runs rehearsals, without server, tools, or real time. */
import { type LineIndex, type Located } from '../dsl/format';
import { type EngineEvent } from '../engine';
import { type Position } from '../plan';
import { problemsOf } from './check/checks';
import { type Problem } from './check/problem';
import { type Rehearsal, type RehearsalFile } from './format/rehearsal';
import { MockedWorld } from './mocks/mocked-world';
import { simulatePlan } from '../proof/drive';

/** The result of one rehearsal. */
export interface RehearsalResult {
  readonly name: string;
  /** Line and column in the rehearsal file. */
  readonly at: Position;
  readonly ok: boolean;
  readonly problems: readonly PlacedProblem[];
  /** Milliseconds of simulated time. */
  readonly elapsed: number;
  /** Calls of tools. */
  readonly calls: number;
  readonly steps: readonly string[];
}

export interface PlacedProblem extends Omit<Problem, 'at'> {
  /** Line and column in the rehearsal file. */
  readonly at: Position;
}

/** Runs one rehearsal of the file, with its own state. @param told receives the events of the run */
export function runRehearsal(
  rehearsal: Rehearsal,
  { playbook, lines }: RehearsalFile,
  told?: (events: readonly EngineEvent[]) => void,
): RehearsalResult {
  const world = new MockedWorld(rehearsal);
  const { payload, startAt, messages, others } = rehearsal;
  const run = simulatePlan(playbook.plan, world, { payload, startAt, messages, others });
  told?.(run.events);
  const problems = problemsOf({ rehearsal, plan: playbook.plan, run, world });
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

function place(lines: LineIndex, { start }: Located): Position {
  return lines.position(start);
}
