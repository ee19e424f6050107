import { type Report } from '../diagnostics/diagnostic';
import { type Document, type StepDoc, type TaskDoc } from '../document/document';
import { asText, present } from '../yaml/node';
import { betweenCalls, tasksOf } from './parts';

/** What cannot be in a loop whose iterations run elsewhere: in one activity each, or in child workflows. */
export function checkElsewhere(document: Document, report: Report): void {
  for (const step of document.steps) {
    const { loop } = step;
    if (loop === undefined || loop.exec === 'inline') continue;
    if (step.case !== undefined) {
      report.add(
        'NT2041',
        step.case.at,
        `\`case\` decides where its loop is, and \`exec: ${loop.exec}\` runs the iterations elsewhere`,
        'leave `exec` out, or write rules at the tool and `next.arcs`',
      );
    }
    for (const action of tasksOf(step).flatMap(betweenCalls)) {
      if (action.do !== 'collect') continue;
      const message = `\`collect\` gathers where its loop is, and \`exec: ${loop.exec}\` runs the iterations elsewhere`;
      report.add(
        'NT2041',
        action.at,
        message,
        'leave `exec` out, or read the results of the loop by the name of the step',
      );
    }
    for (const task of tasksOf(step)) {
      const onlyLocal = loop.exec === 'local' ? whyNotLocal(task, step, document) : undefined;
      const why = onlyLocal ?? whyNotElsewhere(task);
      if (why === undefined) continue;
      const hint = onlyLocal ? 'write `exec: distributed`, or leave `exec` out' : 'leave `exec` out';
      report.add(
        'NT2041',
        task.at,
        `the task \`${task.name}\` ${why}, which a loop with \`exec: ${loop.exec}\` cannot do`,
        hint,
      );
    }
  }
}

function whyNotLocal(task: TaskDoc, step: StepDoc, { extensions }: Document): string | undefined {
  const delivery = asText(present(task.spec, 'delivery') ?? present(step.spec, 'delivery'));
  if (delivery === 'at_most_once') return 'is delivered at most once';
  if (task.kind === 'playbook') return 'calls another playbook';
  return extensions.has(task.kind)
    ? `is of the kind \`${task.kind}\`, which workers of your own run`
    : undefined;
}

/** Events come to the execution, and not to the parts of its loops. */
function whyNotElsewhere(task: TaskDoc): string | undefined {
  const isForEvent = task.kind === 'wait' && task.fields.some(({ key }) => key === 'event');
  return isForEvent ? 'waits for an event' : undefined;
}
