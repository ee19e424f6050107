/** The plan with the look-ups the engine needs. */
import { type Plan, type StepPlan } from '../../plan';
import { Reach } from './reach';

export class PlanIndex {
  private reachCache: Reach | undefined;
  private positions: ReadonlyMap<string, number> | undefined;
  /** Where the step stands that was asked for last. */
  private last = 0;

  constructor(readonly plan: Plan) {}

  /** Where a step stands in the YAML, undefined when there is none of this name. */
  positionOf(name: string): number | undefined {
    // The same step is asked for many times in a row, and most arcs lead to the next one. A table of all names is only
    // made where that fails: ten thousand of them take their time.
    const { steps } = this.plan;
    if (steps[this.last]?.name === name) return this.last;
    if (steps[this.last + 1]?.name === name) return this.last + 1;
    this.positions ??= new Map(steps.map((step, position) => [step.name, position]));
    return this.positions.get(name);
  }

  /** The step of this name; the compiler knows that there is one. */
  step(name: string): StepPlan {
    this.last = this.positionOf(name)!;
    return this.plan.steps[this.last]!;
  }

  /** Only joins ask for it. */
  get reach(): Reach {
    return (this.reachCache ??= new Reach(this.plan));
  }
}
