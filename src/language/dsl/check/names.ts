import { FORBIDDEN_NAMES } from '../../plan';
import { freeNameFor } from '../fixes/names';
import { type Report } from '../diagnostics/diagnostic';
import { type Document, type LoopDoc, type StepDoc } from '../document/document';
import { tasksOf, type Written, writesInside, writesOfStep } from './parts';

/** The names of one step, visible only to its own templates. */
export interface StepNames {
  readonly inputs: ReadonlySet<string>;
  readonly locals: ReadonlySet<string>;
  readonly iter: ReadonlySet<string>;
  readonly tasks: ReadonlySet<string>;
}

/** Every name that the playbook defines, by what defines it. */
export interface Names {
  readonly workload: ReadonlySet<string>;
  readonly ctx: ReadonlySet<string>;
  readonly steps: ReadonlyMap<string, StepDoc>;
  readonly ofStep: ReadonlyMap<string, StepNames>;
}

/** Collects the names of a document. */
export function collectNames(document: Document): Names {
  const ctx = new Set<string>();
  const arriving = new Map<string, Set<string>>();
  const collect = (writes: readonly Written[], scope: Written['scope'], into: Set<string>): void => {
    for (const write of writes) if (write.scope === scope) into.add(write.path[0]!);
  };
  for (const step of document.steps) {
    for (const write of writesOfStep(step)) if (write.scope === 'ctx') ctx.add(write.path[0]!);
    for (const arc of step.router?.arcs ?? []) {
      const names = arriving.get(arc.target) ?? new Set<string>();
      for (const input of arc.inputs) names.add(input.key);
      collect(arc.writes, 'local', names);
      arriving.set(arc.target, names);
    }
  }
  const ofStep = new Map<string, StepNames>();
  for (const step of document.steps) {
    const inner = writesInside(step);
    const inputs = new Set([...step.inputs.map((input) => input.key), ...(arriving.get(step.name) ?? [])]);
    const locals = new Set<string>();
    const iter = new Set<string>();
    collect(inner, 'local', locals);
    collect(inner, 'iter', iter);
    ofStep.set(step.name, { inputs, locals, iter, tasks: new Set(tasksOf(step).map((task) => task.name)) });
  }
  return {
    workload: new Set(document.workload?.entries.map((each) => each.key)),
    ctx,
    steps: new Map(document.steps.map((step) => [step.name, step])),
    ofStep,
  };
}

/**
 * Names that could not be referenced, or that hide each other.
 *
 * @param read the names that templates read
 */
export function checkTemplateNames(
  document: Document,
  names: Names,
  read: ReadonlySet<string>,
  report: Report,
): void {
  for (const step of document.steps) {
    checkReserved('step', step.name, step.at, report);
    if (names.workload.has(step.name) && read.has(step.name))
      hides(step.at, `the step \`${step.name}\``, 'the workload key', `workload.${step.name}`, report);
    if (names.ctx.has(step.name)) {
      const hint = 'rename one of them';
      report.add(
        'NT3010',
        step.at,
        `\`ctx.${step.name}\` hides the result of the step \`${step.name}\` in templates`,
        hint,
      );
    }
    for (const task of tasksOf(step)) {
      checkReserved('task', task.name, task.at, report);
      if (names.ctx.has(task.name)) {
        report.add(
          'NT3010',
          task.at,
          `\`ctx.${task.name}\` hides the result of the task \`${task.name}\` outside of its pipeline, and is hidden inside`,
          `rename one of them; inside, read the variable as \`ctx.${task.name}\``,
        );
      }
      if (task.name !== step.name && names.steps.has(task.name)) {
        report.add(
          'NT3010',
          task.at,
          `the task \`${task.name}\` hides the step of that name inside of \`${step.name}\``,
          'rename the task',
        );
      }
    }
    for (const { loop } of [step, ...tasksOf(step)])
      if (loop !== undefined) checkIterator(loop, names, report);
  }
  for (const each of document.workload?.entries ?? []) {
    if (!FORBIDDEN_NAMES.has(each.key)) continue;
    report.add(
      'NT3010',
      each.at,
      `the reserved name \`${each.key}\` hides this workload key`,
      `read it as \`workload.${each.key}\``,
    );
  }
}

function checkIterator(loop: LoopDoc, names: Names, report: Report): void {
  checkReserved('iterator', loop.iterator, loop.iteratorAt, report);
  if (names.workload.has(loop.iterator)) {
    hides(
      loop.iteratorAt,
      `the iterator \`${loop.iterator}\``,
      'the workload key',
      `workload.${loop.iterator}`,
      report,
    );
  }
  if (names.steps.has(loop.iterator)) {
    report.add(
      'NT3010',
      loop.iteratorAt,
      `the iterator \`${loop.iterator}\` hides the result of the step of that name`,
      'rename the iterator',
    );
  }
}

function hides(
  at: Parameters<Report['add']>[1],
  what: string,
  other: string,
  spelled: string,
  report: Report,
): void {
  report.add(
    'NT3010',
    at,
    `${what} hides ${other} of that name in templates`,
    `read the other as \`${spelled}\``,
  );
}

function checkReserved(what: string, name: string, at: Parameters<Report['add']>[1], report: Report): void {
  if (!FORBIDDEN_NAMES.has(name)) return;
  report.add('NT3009', at, `no ${what} can be called \`${name}\`: the name is reserved`, {
    hint: `e.g. \`${name}_1\` or \`my_${name}\``,
    ...freeNameFor(name),
  });
}
