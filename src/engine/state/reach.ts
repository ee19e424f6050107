/** Static reachability over arcs, for joins (D13). */
import { type Plan } from '../../plan';

export class Reach {
  private readonly successors: ReadonlyMap<string, readonly string[]>;
  private readonly memo = new Map<string, ReadonlySet<string>>();

  constructor(plan: Plan) {
    this.successors = new Map(
      plan.steps.map((step) => [
        step.name,
        [...new Set(step.router?.arcs.flatMap((arc) => (arc.step === null ? [] : [arc.step])) ?? [])],
      ]),
    );
  }

  /** Can a token at step `from` still arrive at `target` on a way that passes neither `target` nor `avoid`? */
  canReach(from: string, target: string, avoid: string): boolean {
    if (from === target || from === avoid) return false;
    return this.sources(target, avoid).has(from);
  }

  /** All steps from which `target` can be reached without passing `target` or `avoid`: one search backwards. */
  private sources(target: string, avoid: string): ReadonlySet<string> {
    const key = `${target}\n${avoid}`;
    const known = this.memo.get(key);
    if (known) return known;
    const found = new Set<string>();
    const queue = [target];
    for (let step = queue.pop(); step !== undefined; step = queue.pop()) {
      for (const before of this.predecessors().get(step) ?? []) {
        if (before === target || before === avoid || found.has(before)) continue;
        found.add(before);
        queue.push(before);
      }
    }
    this.memo.set(key, found);
    return found;
  }

  private inverse: Map<string, string[]> | undefined;

  private predecessors(): Map<string, string[]> {
    if (this.inverse) return this.inverse;
    this.inverse = new Map();
    for (const [step, nexts] of this.successors) {
      for (const next of nexts) {
        const list = this.inverse.get(next);
        if (list) list.push(step);
        else this.inverse.set(next, [step]);
      }
    }
    return this.inverse;
  }
}
