import { type Report } from '../diagnostics/diagnostic';
import { closest, oneOf } from '../diagnostics/suggest';
import { type Document } from '../document/document';

/** Arcs and jumps that lead to nothing. */
export function checkTargets(document: Document, report: Report): void {
  const steps = document.steps.map((step) => step.name);
  const known = new Set(steps);
  for (const step of document.steps) {
    for (const arc of step.router?.arcs ?? []) {
      if (known.has(arc.target) || arc.target === 'end') continue;
      report.add(
        'NT3003',
        arc.at,
        `no step is called \`${arc.target}\``,
        meantOr(arc.target, [...steps, 'end']),
      );
    }
    const tasks = step.tasks.map((task) => task.name);
    for (const { to } of step.tasks.flatMap((task) => task.rules ?? [])) {
      if (to === undefined || tasks.includes(to.name)) continue;
      const message = steps.includes(to.name)
        ? `\`${to.name}\` is a step; a jump leads to a task of the same step`
        : `the step \`${step.name}\` has no task \`${to.name}\``;
      report.add('NT3004', to.at, message, meantOr(to.name, tasks));
    }
  }
}

function meantOr(name: string, candidates: readonly string[]): string {
  const meant = closest(name, candidates);
  if (meant !== undefined) return `did you mean \`${meant}\`?`;
  return candidates.length > 12 ? `there are ${candidates.length} others` : `there is ${oneOf(candidates)}`;
}
