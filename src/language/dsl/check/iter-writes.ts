import { type Report } from '../diagnostics/diagnostic';
import { type Document, type TaskDoc } from '../document/document';
import { stepActions, writesInside, writesOfActions, writesOfTask, type Written } from './parts';

/** `iter` belongs to an iteration. Outside of a loop the specification has none: what is written there lasts as long as the run of the step. */
export function checkIterWrites({ steps }: Document, report: Report): void {
  for (const step of steps) {
    if (step.loop !== undefined) continue;
    const rules = writesOfActions(stepActions(step));
    const collected = writesInside(step).filter(({ at }) =>
      stepActions(step).some((action) => action.do === 'collect' && action.at === at),
    );
    const all = [...step.writes, ...step.tasks.flatMap(outsideOfLoops), ...rules, ...collected];
    for (const { scope, path, at } of all) {
      if (scope !== 'iter') continue;
      const key = path.join('.');
      report.add(
        'NT3029',
        at,
        `\`iter.${key}\` is written outside of a loop, where there is no iteration`,
        `write \`set: {${path[0]}: …}\`, a variable of the tasks of this step, or \`ctx.${key}\``,
      );
    }
  }
}

/** The writes of a task, without those of an iterator's body. */
function outsideOfLoops(task: TaskDoc): readonly Written[] {
  return task.body !== undefined && task.loop === undefined
    ? [...writesOfTask(task), ...task.body.flatMap(outsideOfLoops)]
    : writesOfTask(task);
}
