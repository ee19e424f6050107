import { asksForLocal, whyNotLocal } from './exec';
import { type Report } from '../diagnostics/diagnostic';
import { type Document, type StepDoc, type TaskDoc } from '../document/document';
import { asText, presentValue } from '../yaml/node';
import { betweenCalls, tasksOf } from './parts';

/**
 * Constructs not allowed in a loop whose iterations run in child workflows, or that cannot run on lease in one
 * activity.
 */
export function checkElsewhere(document: Document, report: Report): void {
  for (const step of document.steps) {
    if (step.loop?.exec === 'distributed') checkDistributed(step, report);
    const all = asksForLocal(step);
    for (const task of tasksOf(step)) {
      const own = asText(presentValue(task.spec, 'exec')) ?? (all ? 'local' : 'inline');
      const why = own === 'local' ? whyNotLocal(task, step, document) : undefined;
      if (why === undefined) continue;
      const message = `the task \`${task.name}\` ${why}, which \`exec: local\` cannot do`;
      report.add('NT2041', task.at, message, 'write `exec: distributed`, or remove `exec`');
    }
  }
}

function checkDistributed(step: StepDoc, report: Report): void {
  const elsewhere = '`exec: distributed` runs the iterations in child workflows';
  if (step.case !== undefined) {
    const message = `\`case\` is evaluated in the workflow of its loop, but ${elsewhere}`;
    report.add('NT2041', step.case.at, message, 'remove `exec`, or write rules on the tool and `next.arcs`');
  }
  for (const action of tasksOf(step).flatMap(betweenCalls)) {
    if (action.do !== 'collect') continue;
    const message = `\`collect\` runs in the workflow of its loop, but ${elsewhere}`;
    const hint = 'remove `exec`, or read the results of the loop by the name of the step';
    report.add('NT2041', action.at, message, hint);
  }
  for (const task of tasksOf(step).filter(isForEvent)) {
    const message = `the task \`${task.name}\` waits for an event, which a loop with \`exec: distributed\` cannot do`;
    report.add('NT2041', task.at, message, 'remove `exec`');
  }
}

/** Events are sent to the execution, not to the parts of its loops. */
function isForEvent(task: TaskDoc): boolean {
  return task.kind === 'wait' && task.fields.some(({ key }) => key === 'event');
}
