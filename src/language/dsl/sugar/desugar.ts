import { type Document, type RuleDoc, type StepDoc, type TaskDoc } from '../document/document';
import { isTrue } from '../document/rules';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { asList, child, entry, type MapNode } from '../yaml/node';
import { flatten, type FlatTask, type SugarOrigin } from './flatten';
import { listNode, scalar } from './nodes';
import { constructOf } from './shape';

/** A playbook with flat tool lists, and the origin of its tasks. */
interface Desugared {
  readonly root: MapNode;
  /** The flat list of a step, by the step. */
  readonly steps: ReadonlyMap<MapNode, readonly FlatTask[]>;
}

/** Replaces `choose`, `while` and `until` in tool lists by tasks, rules and jumps. */
export function desugar(root: MapNode, report: Report): Desugared {
  const steps = new Map<MapNode, readonly FlatTask[]>();
  const workflow = asList(child(root, 'workflow'));
  if (workflow === undefined) return { root, steps };
  const items = workflow.items.map((item) => {
    const flat = item.kind === 'map' ? flatSteps(item, report) : undefined;
    if (flat === undefined) return item;
    steps.set(flat.step, flat.tasks);
    return flat.step;
  });
  if (steps.size === 0) return { root, steps };
  return { root: replaced(root, 'workflow', { ...workflow, items }), steps };
}

function flatSteps(step: MapNode, report: Report): { step: MapNode; tasks: FlatTask[] } | undefined {
  const tool = entry(step, 'tool');
  if (tool === undefined || tool.value.kind === 'scalar') return undefined;
  const items = tool.value.kind === 'list' ? tool.value.items : [tool.value];
  if (!items.some((item) => constructOf(item) !== undefined)) return undefined;
  const tasks = flatten(items, report);
  const value = listNode(
    tool.value,
    tasks.map((task) => task.node),
  );
  return { step: replaced(step, 'tool', value), tasks };
}

function replaced(map: MapNode, key: string, value: MapNode['entries'][number]['value']): MapNode {
  return { ...map, entries: map.entries.map((each) => (each.key === key ? { ...each, value } : each)) };
}

/** Maps the tasks of a document to their origins, for the Plan. */
export type Origins = ReadonlyMap<TaskDoc, SugarOrigin>;

/**
 * The document with its exits resolved: a branch that ends the pipeline ends it, and unreachable exits are removed.
 * Reports jumps into and out of constructs.
 */
export function mergeWays(
  document: Document,
  { steps }: Desugared,
  report: Report,
): { document: Document; origins: Origins } {
  const origins = new Map<TaskDoc, SugarOrigin>();
  if (steps.size === 0) return { document, origins };
  const merged = document.steps.map((step): StepDoc => {
    const flat = steps.get(step.node);
    return flat === undefined ? step : { ...step, tasks: mergeTasks(step, flat, origins, report) };
  });
  return { document: { ...document, steps: merged }, origins };
}

function mergeTasks(
  step: StepDoc,
  flat: readonly FlatTask[],
  origins: Map<TaskDoc, SugarOrigin>,
  report: Report,
): TaskDoc[] {
  const byName = new Map(flat.map((each) => [each.name, each]));
  const tasks: TaskDoc[] = [];
  const read = new Set(step.tasks.map((task) => task.name));
  step.tasks.forEach((each, i) => {
    const written = byName.get(each.name);
    const task = written?.origin?.generated ? { ...each, rules: towards(read, each.rules) } : each;
    const origin = written?.origin;
    const before = tasks.at(-1);
    if (origin?.exit && before !== undefined && !goesOn(before)) return;
    if (written !== undefined && origin?.generated !== true) checkJumps(task, written, byName, report);
    const ends = written?.last && i + 1 < step.tasks.length;
    const merged = ends ? { ...task, rules: ending(task) } : task;
    if (origin !== undefined) origins.set(merged, origin);
    tasks.push(merged);
  });
  return tasks;
}

/** Without jumps to tasks that could not be parsed, whose errors are already reported. */
function towards(read: ReadonlySet<string>, rules: TaskDoc['rules']): TaskDoc['rules'] {
  return rules?.filter((rule) => rule.to === undefined || read.has(rule.to.name));
}

/** Whether the pipeline can continue from a task to the next one. */
function goesOn({ rules }: TaskDoc): boolean {
  if (rules === undefined) return true;
  const closed = rules.some((rule) => rule.when === undefined || isTrue(rule.when.value));
  return !closed || rules.some((rule) => rule.do === 'continue');
}

function checkJumps(
  task: TaskDoc,
  from: FlatTask,
  byName: ReadonlyMap<string, FlatTask>,
  report: Report,
): void {
  for (const { to } of task.rules ?? []) {
    const target = to === undefined ? undefined : byName.get(to.name);
    if (to === undefined || target === undefined || target.block === from.block) continue;
    report.add(
      'NT3004',
      to.at,
      `\`${to.name}\` is in another list of tasks than this jump`,
      'a jump stays within its list; to enter a construct, jump to its label',
    );
  }
}

/** Rules that end the pipeline instead of continuing; an exhausted retry still fails. */
function ending(task: TaskDoc): RuleDoc[] {
  const end: RuleDoc = { at: task.at, do: 'break', writes: [] };
  if (task.rules === undefined) return [failed(task.at), end];
  const rules = task.rules.map((rule): RuleDoc => (rule.do === 'continue' ? { ...rule, do: 'break' } : rule));
  if (rules.some((rule) => rule.when === undefined)) return rules;
  return [...rules, ...(task.unmatched === 'fail' ? [failed(task.at)] : []), end];
}

function failed(at: Located): RuleDoc {
  return { at, when: scalar(at, "{{ outcome.status == 'error' }}"), do: 'fail', writes: [] };
}
