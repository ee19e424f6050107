/** Matches renamed steps of another version with the recorded ones. */
import { everyTask, type Plan, type StepPlan } from '../../../language/plan';

/**
 * Steps whose name only one of the versions has are the same if they are at the same place of the graph, reached from
 * steps that are the same, or if no other step is like them. To be alike, steps have the same kinds of tasks, in the same
 * order. A wrong guess hides nothing: what the steps do is compared.
 *
 * @returns by the new name, the recorded one
 */
export function renamedSteps(recorded: Plan, now: Plan): ReadonlyMap<string, string> {
  const pairs = new Pairs(recorded, now);
  pairs.follow(recorded.start, now.start);
  for (const { name } of now.steps) pairs.follow(name, name);
  pairs.pairUnique();
  return pairs.names;
}

class Pairs {
  readonly names = new Map<string, string>();
  private readonly old: ReadonlyMap<string, StepPlan>;
  private readonly recent: ReadonlyMap<string, StepPlan>;
  private readonly taken = new Set<string>();
  private readonly visited = new Set<string>();

  constructor(recorded: Plan, now: Plan) {
    this.old = new Map(recorded.steps.map((step) => [step.name, step]));
    this.recent = new Map(now.steps.map((step) => [step.name, step]));
  }

  /** Along arcs at the same position. */
  follow(was: string, is: string): void {
    const waiting: [was: string, is: string][] = [[was, is]];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [before, after] = [this.old.get(next[0]), this.recent.get(next[1])];
      if (!before || !after || this.visited.has(after.name) || !this.pair(before, after)) continue;
      this.visited.add(after.name);
      const [arcs, others] = [before.router?.arcs ?? [], after.router?.arcs ?? []];
      if (arcs.length !== others.length) continue;
      for (const [i, { step: from }] of arcs.entries()) {
        const to = others[i]?.step;
        if (from !== null && typeof to === 'string') waiting.push([from, to]);
      }
    }
  }

  pairUnique(): void {
    const left = (steps: ReadonlyMap<string, StepPlan>, others: ReadonlyMap<string, StepPlan>) =>
      [...steps.values()].filter(
        ({ name }) => !others.has(name) && !this.taken.has(name) && !this.names.has(name),
      );
    const [before, after] = [left(this.old, this.recent), left(this.recent, this.old)];
    for (const step of after) {
      const alike = before.filter((one) => likeness(one) === likeness(step));
      const rivals = after.filter((one) => likeness(one) === likeness(step));
      if (alike.length === 1 && rivals.length === 1) this.pair(alike[0]!, step);
    }
  }

  private pair(before: StepPlan, after: StepPlan): boolean {
    if (before.name === after.name) return true;
    const isFree = !this.taken.has(before.name) && !this.names.has(after.name);
    const isRenamed = !this.recent.has(before.name) && !this.old.has(after.name);
    if (!isFree || !isRenamed || likeness(before) !== likeness(after)) return false;
    this.taken.add(before.name);
    this.names.set(after.name, before.name);
    return true;
  }
}

function likeness(step: StepPlan): string {
  return JSON.stringify([step.loop !== undefined, everyTask(step).map(({ kind }) => kind)]);
}
