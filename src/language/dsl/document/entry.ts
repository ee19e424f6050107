import { type Located, type Report } from '../diagnostics/diagnostic';
import { closest, oneOfText } from '../diagnostics/suggest';
import { firstAsEntry } from '../fixes/entry';
import { head } from '../schema/check';
import { asText, child, entry, type MapNode, presentValue, type YamlNode } from '../yaml/node';
import { type Document, type StepDoc } from './document';

const ENTRY = '`executor.spec.entry_step` can name another entry step';

/** The step that runs first: `start`, or the one that the executor names. */
export function readEntry(
  root: MapNode,
  executorSpec: MapNode | undefined,
  steps: readonly StepDoc[],
  report: Report,
): Document['entry'] {
  const named = presentValue(executorSpec, 'entry_step');
  const name = asText(named) ?? 'start';
  const entryStep = steps.find((step) => step.name === name);
  const at = named ?? entryStep?.at ?? entry(root, 'workflow')?.at ?? head(root);
  if (entryStep === undefined && child(root, 'workflow') !== undefined)
    reportNoEntry(named, steps, at, report);
  return { name, at };
}

function reportNoEntry(
  named: YamlNode | undefined,
  steps: readonly StepDoc[],
  at: Located,
  report: Report,
): void {
  const names = steps.map((step) => step.name);
  const near = closest(asText(named) ?? 'start', names);
  const there = `the steps are ${oneOfText(names.slice(0, 12))}`;
  if (named !== undefined) {
    const hint = near ? `did you mean \`${near}\`?` : there;
    report.add('NT3008', named, `the entry step \`${asText(named)}\` does not exist`, hint);
    return;
  }
  const message = 'no step is called `start`';
  const misspelt = steps.find(({ name }) => name === near);
  if (misspelt) report.add('NT3008', misspelt.at, message, `is \`${near}\` misspelt? ${ENTRY}`);
  else if (steps[0] === undefined) report.add('NT3008', at, message, ENTRY);
  else report.add('NT3008', at, message, { hint: `${there}; ${ENTRY}`, ...firstAsEntry(steps[0].at) });
}
