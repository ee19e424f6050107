/** Unused inputs: given by a step, tool or arc, and read by neither a template nor a tool. */
import { references } from '../../template';
import { type Plan, type StepPlan } from '../../plan';
import { templatesIn } from '../compile/reads';
import { type Report } from '../diagnostics/diagnostic';
import { didYouMean } from '../diagnostics/suggest';
import { type ActionDoc, type Document, type StepDoc, type TaskDoc } from '../document/document';
import { KINDS, toolKind, type ToolKinds } from '../kinds';
import { asText, type MapEntry } from '../yaml/node';
import { tasksOf, withBody } from './parts';
import { mainParameters, readsName } from './python-names';

/** The inputs of a step that templates read: some names, or unknown. */
interface Read {
  readonly names: ReadonlySet<string>;
  readonly all: boolean;
}

/** Reported only if nothing can read it: a read anywhere in the step counts. */
export function checkUnread(document: Document, plan: Plan, report: Report): void {
  const { extensions } = document;
  const read = new Map(plan.steps.map((step) => [step.name, readIn(step)]));
  const steps = new Map(document.steps.map((step) => [step.name, step]));
  const tell = (given: readonly MapEntry[], step: StepDoc, tasks: readonly TaskDoc[], what: string): void => {
    const { names, all } = read.get(step.name)!;
    if (all) return;
    for (const { key, at } of given) {
      if (names.has(key) || tasks.some((task) => takes(task, key, extensions))) continue;
      const hint = didYouMean(key, namesTaken(names, tasks)) ?? `read it as \`{{ ${key} }}\`, or remove it`;
      report.add('NT3028', at, `nothing in the step \`${step.name}\` reads ${what} \`${key}\``, hint);
    }
  };
  for (const step of document.steps) {
    const all = tasksOf(step);
    tell(step.inputs, step, all, 'the input');
    for (const task of all) {
      tell(task.inputs, step, withBody(task), 'the input');
      for (const policy of task.retry ?? []) tell(policy.overrides?.input ?? [], step, [task], 'the input');
    }
    for (const action of (step.case?.rules ?? []).flatMap(({ actions }) => actions))
      tell(overridden(action), step, all, 'the input');
    for (const arc of step.router?.arcs ?? []) {
      const target = steps.get(arc.target);
      // Inputs of a step that ends its token are recorded in the events for people.
      if (target === undefined || (target.tasks.length === 0 && !target.router?.arcs.length)) continue;
      tell(arc.inputs, target, tasksOf(target), 'the argument');
    }
  }
}

function overridden(action: ActionDoc): readonly MapEntry[] {
  if (action.do === 'call') return action.overrides.input;
  return action.do === 'retry' ? (action.overrides?.input ?? []) : [];
}

function readIn(step: StepPlan): Read {
  const names = new Set<string>();
  let all = false;
  for (const template of templatesIn(step)) {
    for (const { kind, root, path } of references(template)) {
      if (kind !== 'name' && kind !== 'call') continue;
      names.add(root);
      const keys =
        root === 'token' ? (path[0] ?? 'args') === 'args' && path.slice(1) : BY_NAME.has(root) && path;
      if (keys === false) continue;
      if (keys.length === 0) all = true;
      else names.add(String(keys[0]));
    }
  }
  return { names, all };
}

/** Roots that contain the inputs by name, like `token.args`. */
const BY_NAME: ReadonlySet<string> = new Set(['input', 'args']);

/** Whether the tool itself may use the input. */
function takes(task: TaskDoc, key: string, extensions: ToolKinds): boolean {
  const inputs = toolKind(task.kind, extensions)?.inputs;
  if (inputs !== 'code') return inputs === undefined;
  const code = codeOf(task);
  return code === undefined || readsName(code, key);
}

/** Names that a misspelt input may have meant. */
function namesTaken(names: ReadonlySet<string>, tasks: readonly TaskDoc[]): string[] {
  return [...names, ...tasks.flatMap((task) => mainParameters(codeOf(task) ?? ''))];
}

/** The code of a task; undefined if it has none, or loads it from elsewhere. */
function codeOf({ kind, fields }: TaskDoc): string | undefined {
  return asText(fields.find(({ key }) => KINDS[kind]?.code?.includes(key))?.value);
}
