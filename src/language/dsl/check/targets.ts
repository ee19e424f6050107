import { type Remedy, type Report } from '../diagnostics/diagnostic';
import { didYouMean, oneOfText } from '../diagnostics/suggest';
import { type Document, type TaskDoc } from '../document/document';

/** Arcs and jumps to unknown targets. */
export function checkTargets(document: Document, report: Report): void {
  const steps = document.steps.map((step) => step.name);
  const names = new Set(steps);
  for (const step of document.steps) {
    for (const arc of step.router?.arcs ?? []) {
      if (names.has(arc.target) || arc.target === 'end') continue;
      report.add(
        'NT3003',
        arc.at,
        `no step is called \`${arc.target}\``,
        meantOr(arc.target, [...steps, 'end']),
      );
    }
    checkJumps(step.tasks, step.name, steps, report);
    for (const task of step.asides)
      if (task.stands?.kind === 'loop') checkJumps([task], step.name, steps, report);
  }
}

/** Jumps in one list of tasks, and in the lists of its iterators. */
function checkJumps(list: readonly TaskDoc[], step: string, steps: readonly string[], report: Report): void {
  const tasks = list.map((task) => task.name);
  for (const { to } of list.flatMap((task) => task.rules ?? [])) {
    if (to === undefined || tasks.includes(to.name)) continue;
    const message = steps.includes(to.name)
      ? `\`${to.name}\` is a step; a jump leads to a task of the same step`
      : `the step \`${step}\` has no task \`${to.name}\``;
    report.add('NT3004', to.at, message, meantOr(to.name, tasks));
  }
  for (const { body } of list) if (body !== undefined) checkJumps(body, step, steps, report);
}

function meantOr(name: string, candidates: readonly string[]): string | Remedy {
  const others =
    candidates.length > 12 ? `there are ${candidates.length} others` : `there is ${oneOfText(candidates)}`;
  return didYouMean(name, candidates) ?? others;
}
