/** Many simulated runs, counted. Plain JSON: threads count their own seeds. */
import { addTouches, Coverage, type Touches } from '../proof/coverage';
import { STATUS_OF_END, type RehearsalStatus } from '../rehearsal';
import { runSeed, type Setting } from './run';

export interface SimulationTally {
  runs: number;
  /** Decisions of the engine. */
  batches: number;
  readonly ends: Record<RehearsalStatus, number>;
  /** By fault: in how many runs, and the first seed. */
  readonly faults: Record<string, { count: number; seed: number }>;
  /** By code and step of the error of runs that failed. */
  readonly causes: Record<string, { count: number; seed: number }>;
  readonly touches: Touches;
}

/** `count` seeds from `first`; of them those of one thread. */
export interface Seeds {
  readonly first: number;
  readonly count: number;
  readonly thread?: { readonly number: number; readonly of: number };
}

export function emptySimulationTally(): SimulationTally {
  return {
    runs: 0,
    batches: 0,
    ends: { completed: 0, failed: 0, cancelled: 0, waiting: 0 },
    faults: {},
    causes: {},
    touches: {},
  };
}

export function runSeeds(
  setting: Setting,
  { first, count, thread = { number: 0, of: 1 } }: Seeds,
): SimulationTally {
  const tally = emptySimulationTally();
  const coverage = new Coverage();
  for (let i = thread.number; i < count; i += thread.of) {
    const { seed, run, faults } = runSeed(setting, first + i);
    tally.runs++;
    tally.batches += run.batches;
    tally.ends[STATUS_OF_END[run.end]]++;
    coverage.take(run.events);
    for (const { id } of faults) add(tally.faults, id, { count: 1, seed });
    const cause = run.error ? causeOf(run.error) : undefined;
    if (cause !== undefined) add(tally.causes, cause, { count: 1, seed });
  }
  addTouches(tally.touches, coverage.touches);
  return tally;
}

/** Adds the second to the first: the sum does not depend on how the seeds were divided. */
export function addSimulationTally(sum: SimulationTally, more: SimulationTally): void {
  sum.runs += more.runs;
  sum.batches += more.batches;
  for (const end of Object.keys(sum.ends) as RehearsalStatus[]) sum.ends[end] += more.ends[end];
  for (const [id, fault] of Object.entries(more.faults)) add(sum.faults, id, fault);
  for (const [id, cause] of Object.entries(more.causes)) add(sum.causes, id, cause);
  addTouches(sum.touches, more.touches);
}

type Counts = Record<string, { count: number; seed: number }>;

function add(counts: Counts, id: string, { count, seed }: Counts[string]): void {
  const before = counts[id];
  counts[id] = { count: (before?.count ?? 0) + count, seed: Math.min(before?.seed ?? seed, seed) };
}

/** Runs of one cause have the same code at the same step; messages differ. */
function causeOf({ code, step }: { readonly code: string; readonly step?: string | null }): string {
  return step ? `${code} at ${step}` : code;
}
