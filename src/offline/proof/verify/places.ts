/** Where in its YAML something was decided. */
import { everyTask, type Plan, type SourcePosition, type PlanValue } from '../../../language/plan';
import { type RecordedDecision } from '../decisions';

/** A line of a playbook: `file` as the plan names it. */
export interface VerdictPlace {
  readonly file: string | null;
  readonly line: number;
  readonly column: number;
}

/** @param path of the member that differs: `config.params.page` */
export function placeOfDecision(
  plan: Plan,
  decision: RecordedDecision | undefined,
  path = '',
): VerdictPlace | undefined {
  if (!decision) return undefined;
  const at = positionOf(plan, decision, path);
  return at && { file: plan.source.file ?? null, line: at[0], column: at[1] };
}

function positionOf(plan: Plan, decision: RecordedDecision, path: string): SourcePosition | undefined {
  const { kind, place, step: name, task: called } = decision;
  if (place) return place;
  const step = plan.steps.find((one) => one.name === name);
  if (!step) return undefined;
  const task = everyTask(step).find((one) => one.name === called);
  if (kind === 'write')
    return writeIn(decision, [...step.set, ...everyTask(step).flatMap(({ set }) => set)]) ?? step.at;
  if (!task) return step.at;
  const [field, ...keys] = path.split('.');
  const own = field === 'config' ? task.config : field === 'input' ? task.input : undefined;
  return (own && memberAt(own, keys)) ?? task.at;
}

function writeIn(
  { key }: RecordedDecision,
  assignments: readonly { readonly path: readonly string[]; readonly at: SourcePosition }[],
): SourcePosition | undefined {
  const written = /ctx\.(\S+) by/.exec(key)?.[1];
  return assignments.find(({ path }) => path.join('.') === written)?.at;
}

/** The position of the template behind a member; undefined for constants, which the plan does not place. */
function memberAt(value: PlanValue, [key, ...more]: readonly string[]): SourcePosition | undefined {
  if ('template' in value) return value.template.at;
  if (key === undefined) return undefined;
  if ('map' in value) {
    const member = value.map.find(([name]) => name === key)?.[1];
    return member && memberAt(member, more);
  }
  const item = 'list' in value ? value.list[Number(key)] : undefined;
  return item && memberAt(item, more);
}
