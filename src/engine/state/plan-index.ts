/** The plan, with the lookups the engine needs. */
import { type Action, type Collect, type Plan, type StepPlan, type TaskPlan } from '../../plan';
import { Reach } from './reach';

export class PlanIndex {
  private reachCache: Reach | undefined;
  private readonly collects = new Map<StepPlan, readonly Collect[]>();
  private positions: ReadonlyMap<string, number> | undefined;
  /** Position of the step looked up last. */
  private last = 0;

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

  /** What rules of the step and of its tasks collect, each place once. */
  collectsOf(step: StepPlan): readonly Collect[] {
    if (!step.rules && !step.tasks.some(mayCollect)) return NOTHING;
    let collects = this.collects.get(step);
    if (!collects) this.collects.set(step, (collects = collectsIn(step)));
    return collects;
  }

  /** Used only by joins. */
  get reach(): Reach {
    return (this.reachCache ??= new Reach(this.plan));
  }
}

const NOTHING: readonly Collect[] = [];

const mayCollect = ({ rules, body }: TaskPlan): boolean => (rules ?? body) !== undefined;

function collectsIn(step: StepPlan): readonly Collect[] {
  const within = (tasks: readonly TaskPlan[]): readonly TaskPlan[] =>
    tasks.flatMap((task) => [task, ...within(task.body ?? [])]);
  const sets = [step.rules, ...within(step.tasks).map(({ rules }) => rules)];
  const actions = sets.flatMap((set) => set?.rules ?? []).flatMap((rule): readonly Action[] => rule.actions);
  const collects = actions.filter((action) => action.do === 'collect');
  const places = new Map(
    collects.map((collect) => [[collect.into.scope, ...collect.into.path].join('.'), collect]),
  );
  return [...places.values()];
}
