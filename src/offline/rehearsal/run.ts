/** Runs rehearsals, without server, tools, or real time. */
import { type LineIndex, type Located } from '../../language/dsl/format';
import { type EngineEvent, type Observer } from '../../engine/machine';
import { CodedError } from '../../language/errors';
import { type Outcome, type Plan, type SourcePosition, type TaskCall } from '../../language/plan';
import { problemsOf } from './check/checks';
import { type RehearsalProblem, type Rehearsed } from './check/problem';
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

/** Runs a rehearsal, without judging it. @param observer is not told of single events */
export function rehearse(
  rehearsal: Rehearsal,
  plan: Plan,
  observer?: Observer,
  ran?: ReadonlyMap<string, Outcome>,
): Rehearsed {
  const world = new MockedWorld(rehearsal, ran);
  const { payload, startAt, executionId, messages, others, limit: maxBatches, expect } = rehearsal;
  const watch = new Watch(expect.invariants, world.calls, startAt);
  const options = { payload, startAt, executionId, messages, others, maxBatches };
  const run = simulatePlan(plan, world, { ...options, observer: watch.beside(observer) });
  watch.ended(run);
  return { rehearsal, plan, run, world, watch };
}

/** More calls that are run are an endless loop. */
const MOST_RUN = 500;

/** As `runRehearsal`; calls whose mock says `execute` are run. */
export async function runRehearsalWith(
  rehearsal: Rehearsal,
  file: RehearsalFile,
  execute: (call: TaskCall) => Promise<Outcome | undefined>,
): Promise<RehearsalResult> {
  const ran = new Map<string, Outcome>();
  for (;;) {
    const { toRun } = rehearse(rehearsal, file.playbook.plan, undefined, ran).world;
    if (!toRun) return runRehearsal(rehearsal, file, undefined, ran);
    const outcome = ran.size < MOST_RUN ? await execute(toRun) : undefined;
    if (!outcome) {
      const why = ran.size < MOST_RUN ? 'it needs a secret' : `${MOST_RUN} calls were executed`;
      throw new CodedError('EXECUTES', `${toRun.step}/${toRun.task} cannot be executed: ${why}; mock it`);
    }
    ran.set(toRun.task_run_id, outcome);
  }
}

/** Whether calls have to be run for it. */
export function executes({ mocks, defaults }: Rehearsal): boolean {
  return [...mocks.flatMap(({ answers }) => answers), ...Object.values(defaults)].some((one) => one.executes);
}

/**
 * Runs one rehearsal of the file, with its own state.
 *
 * @param onEvents receives the events of the run
 * @param ran outcomes of calls that were run, by task run id
 */
export function runRehearsal(
  rehearsal: Rehearsal,
  { playbook, lines }: RehearsalFile,
  onEvents?: (events: readonly EngineEvent[]) => void,
  ran?: ReadonlyMap<string, Outcome>,
): RehearsalResult {
  const rehearsed = rehearse(rehearsal, playbook.plan, undefined, ran);
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
