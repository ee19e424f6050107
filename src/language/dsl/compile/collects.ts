import { type Action, everyTask, type StepPlan } from '../../plan';

/** Places in ctx into which rules of the step and of its tasks collect, each once; absent when there are none. */
export function collectsOf(step: StepPlan): Pick<StepPlan, 'collects'> {
  const sets = [step.rules, ...everyTask(step).map(({ rules }) => rules)];
  const actions = sets.flatMap((set) => set?.rules ?? []).flatMap((rule): readonly Action[] => rule.actions);
  const places = new Map<string, NonNullable<StepPlan['collects']>[number]>();
  for (const action of actions) {
    if (action.do !== 'collect' || action.into.scope !== 'ctx') continue;
    const { path } = action.into;
    places.set(path.join('.'), { path, mode: action.mode });
  }
  const collects = [...places.values()].filter(({ mode }) => mode !== 'replace');
  return collects.length > 0 ? { collects } : {};
}
