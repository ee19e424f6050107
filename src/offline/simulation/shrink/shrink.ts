/** Makes a failing run as small as possible: a rehearsal that fails in the same way. */
import { type JsonObject } from '../../../language/plan';
import {
  STATUS_OF_END,
  partOf,
  placesOf,
  problemsOf,
  readRehearsals,
  rehearse,
  type Rehearsed,
  type RehearsalStatus,
} from '../../rehearsal';
import { endOf, type Fault, runSeed, type SeedRun, type Setting } from '../run';
import { PASSES } from './candidates';
import { type RehearsalDraft, draftOf, fixedIn, hasFault, draftText, type Goal, type Titled } from './draft';

/** The shrunk run. */
interface Shrunk {
  /** The rehearsal file. */
  readonly text: string;
  readonly rehearsed: Rehearsed;
}

/** Work is limited in decisions of the engine and in runs, not in time: a seed shrinks to the same on every machine. */
const MAX_BATCHES = 60_000;
const MAX_RUNS = 1_500;

/**
 * @param playbook the path of the playbook in the rehearsal file
 * @returns undefined if no rehearsal fails in the same way
 */
export function shrink(
  setting: Setting,
  failed: SeedRun,
  fault: Fault,
  playbook: string,
): Shrunk | undefined {
  const { invariant, id } = fault;
  const goal: Goal = { id, ...(invariant && { invariant }), limit: setting.simulation.limit };
  const shrinking = new Shrinking(setting, goal, { playbook, name: `seed ${failed.seed}: ${id}` });
  const calm = runSeed(setting.withoutFaults, failed.seed);
  const fixed = fixedIn([failed, calm]);
  const whole = [true, false]
    .map((byIteration) => draftOf(failed, { byIteration, fixed }))
    .find((draft) => shrinking.accepts(draft));
  if (!whole) return undefined;
  shrinking.run(hasFault(whole) && !calm.faults.some((one) => one.id === id));
  return shrinking.best;
}

class Shrinking {
  best: Shrunk | undefined;
  private draft: RehearsalDraft | undefined;
  private batches = 0;
  private runs = 0;

  constructor(
    private readonly setting: Setting,
    private readonly goal: Goal,
    private readonly title: Omit<Titled, 'status'>,
  ) {}

  /** Without faults the seed does not fail: a run without any shows something else. */
  private isByFaults = false;

  /** Until no pass finds anything smaller. */
  run(isByFaults: boolean): void {
    const { setting } = this;
    this.isByFaults = isByFaults;
    const least = (kind: string): JsonObject => setting.kinds.of(kind).least.words();
    const context = { places: placesOf(setting.plan), least };
    for (let before: RehearsalDraft | undefined; before !== this.draft;) {
      before = this.draft;
      for (const pass of PASSES) {
        while (
          !this.isSpent &&
          [...take(pass(this.draft!, context), (draft) => this.accepts(draft))].length > 0
        );
      }
    }
  }

  private get isSpent(): boolean {
    return this.batches > MAX_BATCHES || this.runs > MAX_RUNS;
  }

  /** Whether the draft fails in the same way; then it is the best so far, without what it does not use. */
  accepts(draft: RehearsalDraft): boolean {
    if (this.isSpent && this.best) return false;
    const rehearsed = this.fails(draft, 'completed');
    if (!rehearsed || (this.isByFaults && !hasFault(draft))) return false;
    const used = withoutUnused(draft, rehearsed);
    const status = STATUS_OF_END[rehearsed.run.end];
    const final = this.fails(used, status);
    if (!final || problemsOf(final).length !== 1) return false;
    this.draft = used;
    this.best = { text: this.text(used, status), rehearsed: final };
    return true;
  }

  private text(draft: RehearsalDraft, status: RehearsalStatus): string {
    return draftText(draft, this.goal, { ...this.title, status });
  }

  private fails(draft: RehearsalDraft, status: RehearsalStatus): Rehearsed | undefined {
    const { setting, goal } = this;
    const { rehearsed } = readRehearsals(this.text(draft, status), {
      file: 'shrunk.rehearsal.yaml',
      load: (file) => ({ file, plan: setting.plan }),
      kinds: setting.extensions,
    });
    const [one] = rehearsed?.rehearsals ?? [];
    if (!one) return undefined;
    const outcome = rehearse({ ...one, limit: one.limit ?? goal.limit }, setting.plan);
    this.runs++;
    this.batches += outcome.run.batches;
    if (outcome.world.unanswered) return undefined;
    const isSame = goal.invariant
      ? outcome.watch.violations.some((violation) => partOf(violation) === goal.id)
      : endOf(outcome.run, goal.limit)?.id === goal.id;
    return isSame ? outcome : undefined;
  }
}

/** The first candidate that is accepted, if any. */
function* take<T>(candidates: Iterable<T>, isWanted: (one: T) => boolean): Generator<T> {
  for (const one of candidates) {
    if (!isWanted(one)) continue;
    yield one;
    return;
  }
}

/** Answers that no call used, and messages that came after the end, are failures of a rehearsal. */
function withoutUnused(draft: RehearsalDraft, { world, run, rehearsal }: Rehearsed): RehearsalDraft {
  const mocks = Object.entries(draft.mocks).flatMap(([key, list]) => {
    const used = world.usages.find(({ mock }) => mock.selector.text === key)?.used ?? 0;
    const kept = usedOf(list, used);
    return kept.length > 0 ? [[key, kept] as const] : [];
  });
  const isLate = run.end === 'stuck' ? () => false : (after: number) => after > run.elapsed;
  const events = draft.events.filter((_, i) => !isLate(rehearsal.messages[i]?.after ?? 0));
  return { ...draft, mocks: Object.fromEntries(mocks), events };
}

function usedOf(list: readonly JsonObject[], used: number): JsonObject[] {
  let left = used;
  return list.filter(({ repeat }) => {
    const isUsed = left > 0;
    left -= repeat === 'always' ? left : Number(repeat ?? 1);
    return isUsed;
  });
}
