/** The plan, with the lookups the engine needs. */
import { type Plan, type StepPlan, taskPath } from '../../../language/plan';
import { Reach } from './reach';

export class PlanIndex {
  private reachCache: Reach | undefined;
  private positions: ReadonlyMap<string, number> | undefined;
  /** Position of the step looked up last. */
  private last = 0;
  /** The answer of `pathOf` that was given last. */
  private path = { step: '', task: '', text: '' };

  constructor(readonly plan: Plan) {}

  /** Position of the step in the YAML; undefined when there is none with this name. */
  positionOf(name: string): number | undefined {
    // The same step is looked up many times in a row, and most arcs lead to the next one. The table of all names is
    // built only when that fails: it takes a while for ten thousand steps.
    const { steps } = this.plan;
    if (steps[this.last]?.name === name) return this.last;
    if (steps[this.last + 1]?.name === name) return this.last + 1;
    this.positions ??= new Map(steps.map((step, position) => [step.name, position]));
    return this.positions.get(name);
  }

  /** The step with this name; the compiler guarantees that it exists. */
  step(name: string): StepPlan {
    this.last = this.positionOf(name)!;
    return this.plan.steps[this.last]!;
  }

  /** `taskPath`, of which the last is kept: the iterations of a loop ask for the same again and again. */
  pathOf(step: string, task: string): string {
    if (step !== this.path.step || task !== this.path.task) {
      this.path = { step, task, text: taskPath(step, task) };
    }
    return this.path.text;
  }

  /** Used only by joins. */
  get reach(): Reach {
    return (this.reachCache ??= new Reach(this.plan));
  }
}
