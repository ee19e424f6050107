import { type Report } from '../diagnostics/diagnostic';
import { closest } from '../diagnostics/suggest';
import { type ArcDoc, type Document, type StepDoc, type TaskDoc } from '../document/document';
import { isFalse, isTrue } from '../document/rules';
import { asMap, presentValue } from '../yaml/node';
import { reachable, arcTargets } from './order';

/** Checks the graph of steps and their pipelines: what can never run, and what can never end. */
export function checkGraph(document: Document, report: Report): void {
  const steps = new Map(document.steps.map((step) => [step.name, step]));
  for (const step of document.steps) {
    checkRouter(step, report);
    checkPipeline(step.tasks, report);
  }
  const reached = reachable([document.entry.name], steps);
  if (!steps.has(document.entry.name)) return;
  for (const step of document.steps) {
    if (!reached.has(step.name)) {
      report.add(
        'NT6001',
        step.at,
        `no path leads from \`${document.entry.name}\` to the step \`${step.name}\``,
        'add an arc to it, or remove the step',
      );
    }
  }
  checkCycles(steps, reached, report);
}

function checkRouter(step: StepDoc, report: Report): void {
  const arcs = structuralArcs(step);
  for (const arc of arcs) {
    if (arc.when !== undefined && isFalse(arc.when.value))
      report.add('NT6003', arc.when, 'this guard is always false');
  }
  if (step.router?.mode === 'inclusive') return;
  const first = arcs.findIndex((arc) => arc.when === undefined || isTrue(arc.when.value));
  for (const arc of first === -1 ? [] : arcs.slice(first + 1)) {
    const hint =
      'move it before the arc that always matches, or write `spec: {mode: inclusive}` to follow both';
    report.add(
      'NT6002',
      arc.at,
      `the arc to \`${arc.target}\` is never followed: the arc to \`${arcs[first]!.target}\` always matches`,
      hint,
    );
  }
}

/** Tasks that are unreachable in the pipeline, and rules that never handle an error. */
function checkPipeline(tasks: readonly TaskDoc[], report: Report): void {
  const index = new Map(tasks.map((task, i) => [task.name, i]));
  const reached = new Set<number>();
  const open = tasks.length > 0 ? [0] : [];
  while (open.length > 0) {
    const at = open.pop()!;
    const task = tasks[at];
    if (task === undefined || reached.has(at)) continue;
    reached.add(at);
    for (const to of followers(task, at, index)) open.push(to);
  }
  tasks.forEach((task, i) => {
    if (!reached.has(i))
      report.add(
        'NT6005',
        task.at,
        `no path leads to the task \`${task.name}\``,
        'jump to it, or let a task before it continue',
      );
    checkErrors(task, report);
    if (task.body !== undefined) checkPipeline(task.body, report);
  });
}

function followers(task: TaskDoc, at: number, index: ReadonlyMap<string, number>): number[] {
  if (task.rules === undefined) return [at + 1];
  const next = task.rules.flatMap((rule) => {
    if (rule.do === 'continue') return [at + 1];
    if (rule.do !== 'jump' || rule.to === undefined) return [];
    const { name } = rule.to;
    const to = index.get(index.has(name) ? name : (closest(name, index.keys()) ?? name));
    return to === undefined ? [] : [to];
  });
  const closed = task.rules.some((rule) => rule.when === undefined || isTrue(rule.when.value));
  return closed ? next : [...next, at + 1];
}

/** Whether the condition looks at the outcome's status or error, and not only for a success. */
function mayMatchErrors(condition: string): boolean {
  const rest = condition.replaceAll(/\bstatus['"\]]*\s*==\s*(['"])ok\1/g, '');
  return /\b(status|error|http|pg|py|event)\b|true/i.test(rest);
}

/** If no rule matches, the pipeline continues, even after an error. */
function checkErrors(task: TaskDoc, report: Report): void {
  const { rules } = task;
  if (rules === undefined || rules.length === 0 || task.kind === 'noop' || task.unmatched) return;
  const looks = rules.some(({ when }) => when === undefined || mayMatchErrors(String(when.value)));
  if (looks) return;
  const hint = 'write a rule `- when: "{{ outcome.status == \'error\' }}"` with `then: {do: fail}`';
  report.add(
    'NT2038',
    rules[0]!.at,
    `a failure of \`${task.name}\` matches none of these rules, so the pipeline continues`,
    hint,
  );
}

/** Strongly connected steps without an exit, with an arc that always matches at each of them. */
function checkCycles(
  steps: ReadonlyMap<string, StepDoc>,
  reached: ReadonlySet<string>,
  report: Report,
): void {
  const endless = new Set([...reached].filter((name) => neverEnds(steps.get(name)!)));
  const before = new Map<string, string[]>();
  for (const name of endless) {
    for (const target of arcTargets(steps.get(name)))
      before.set(target, [...(before.get(target) ?? []), name]);
  }
  // The steps that remain after repeatedly removing all steps with an exit can never be left.
  const open = [...before.keys()].filter((target) => !endless.has(target));
  while (open.length > 0) {
    for (const name of before.get(open.pop()!) ?? []) if (endless.delete(name)) open.push(name);
  }
  for (const name of endless) {
    const step = steps.get(name)!;
    report.add(
      'NT6004',
      step.at,
      `from the step \`${name}\` the execution never ends`,
      'add a guard to an arc of the cycle',
    );
    return;
  }
}

/** The router's own arcs; others are taken by an action of `case`. */
function structuralArcs(step: StepDoc): readonly ArcDoc[] {
  return (step.router?.arcs ?? []).filter((arc) => arc.rule === undefined);
}

/** Whether the step's tokens always continue. */
function neverEnds(step: StepDoc): boolean {
  const arcs = structuralArcs(step);
  if (step.case?.rules.some((rule) => rule.actions.some((action) => action.do === 'fail'))) return false;
  const gated =
    presentValue(asMap(presentValue(step.spec, 'policy')), 'admit') ?? presentValue(step.spec, 'admit');
  return gated === undefined && arcs.some((arc) => arc.when === undefined || isTrue(arc.when.value));
}
