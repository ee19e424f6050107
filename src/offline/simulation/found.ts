/** What a simulation found, for people and programs. */
import { type Covered, coveredBy } from '../proof/coverage';
import { problemsOf, type RehearsalStatus } from '../rehearsal';
import { type Fault, runSeed, type Setting } from './run';
import { shrink } from './shrink/shrink';
import { type Happened, storyOf } from './shrink/story';
import { type Seeds, type SimulationTally } from './tally';

export interface FoundFault {
  /** `at_end.no double charge`; `end.endless` and `end.waiting`: the run has no end. */
  readonly fault: string;
  /** In words. */
  readonly what: string;
  /** How many runs have it. */
  readonly count: number;
  /** The first of them. */
  readonly seed: number;
  readonly why: readonly string[];
  /** Of the rehearsal. */
  readonly story: readonly Happened[];
  /** A file that `test` runs and that fails in the same way; null if there is none. */
  readonly rehearsal: string | null;
}

export interface SimulationResult {
  readonly playbook: string;
  readonly ok: boolean;
  readonly runs: number;
  readonly first_seed: number;
  readonly ends: Readonly<Record<RehearsalStatus, number>>;
  /** Reasons why runs failed, most frequent first; not necessarily faults. */
  readonly causes: readonly {
    readonly cause: string;
    /** Of the first of them. */
    readonly message: string;
    readonly count: number;
    readonly seed: number;
  }[];
  readonly faults: readonly FoundFault[];
  readonly coverage: Covered;
}

/** Number of faults that are shrunk and reported; the others are only counted. */
const MAX_TOLD = 10;

/** @param playbook the path of the playbook in the rehearsals */
export function simulationResult(
  setting: Setting,
  tally: SimulationTally,
  { first }: Seeds,
  playbook: string,
): SimulationResult {
  const { plan } = setting;
  const faults = Object.entries(tally.faults).sort(([a, x], [b, y]) => x.seed - y.seed || (a < b ? -1 : 1));
  return {
    playbook: plan.metadata.path,
    ok: faults.length === 0,
    runs: tally.runs,
    first_seed: first,
    ends: tally.ends,
    causes: Object.entries(tally.causes)
      .map(([cause, { count, seed }]) => ({ cause, count, seed }))
      .sort((a, b) => b.count - a.count || a.seed - b.seed)
      .map((one) => ({ ...one, message: runSeed(setting, one.seed).run.error?.message ?? '' })),
    faults: faults.map(([id, { count, seed }], i) => ({
      fault: id,
      count,
      seed,
      ...toldOf(setting, { id, seed, playbook }, i < MAX_TOLD),
    })),
    coverage: coveredBy(plan, tally.touches, tally.runs),
  };
}

interface FaultSource {
  readonly id: string;
  readonly seed: number;
  readonly playbook: string;
}

function toldOf(
  setting: Setting,
  { id, seed, playbook }: FaultSource,
  isTold: boolean,
): Pick<FoundFault, 'what' | 'why' | 'story' | 'rehearsal'> {
  const failed = runSeed(setting, seed);
  const fault = failed.faults.find((one) => one.id === id)!;
  const what = wordsFor(fault);
  const shrunk = isTold ? shrink(setting, failed, fault, playbook) : undefined;
  if (!shrunk) return { what, why: fault.why, story: [], rehearsal: null };
  const { rehearsed, text } = shrunk;
  const [problem] = problemsOf(rehearsed);
  const { invariant } = fault;
  const why = invariant ? (problem?.details ?? []).filter((line) => line !== invariant.source) : fault.why;
  return { what, why, story: storyOf(rehearsed.rehearsal, setting.plan), rehearsal: text };
}

function wordsFor({ id, invariant }: Fault): string {
  if (id === 'end.endless') return 'a run never ends';
  if (id === 'end.waiting') return 'a run waits forever';
  const when = { always: 'not always', at_end: 'not at the end', per_iteration: 'not for every iteration' };
  return `${when[invariant!.when]}: ${invariant!.name}`;
}
