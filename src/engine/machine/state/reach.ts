/** Static reachability over arcs, used for joins. */
import { type Plan } from '../../../language/plan';

export class Reach {
  /** The steps with an arc to a step. */
  private readonly before = new Map<string, Set<string>>();
  private readonly cache = new Map<string, ReadonlySet<string>>();

  constructor(plan: Plan) {
    for (const { name, router } of plan.steps) {
      for (const { step } of router?.arcs ?? []) {
        if (step === null) continue;
        const list = this.before.get(step);
        if (list) list.add(name);
        else this.before.set(step, new Set([name]));
      }
    }
  }

  /** All steps from which `target` can be reached without passing `target` or `avoid`: one backward search. */
  sources(target: string, avoid: string): ReadonlySet<string> {
    const key = `${target}\n${avoid}`;
    const cached = this.cache.get(key);
    if (cached) return cached;
    const steps = new Set<string>();
    const queue = [target];
    for (let step = queue.pop(); step !== undefined; step = queue.pop()) {
      for (const before of this.before.get(step) ?? []) {
        if (before === target || before === avoid || steps.has(before)) continue;
        steps.add(before);
        queue.push(before);
      }
    }
    this.cache.set(key, steps);
    return steps;
  }
}
