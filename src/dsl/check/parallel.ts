import { type Report } from '../diagnostics/diagnostic';
import { type Document, type StepDoc, type Write } from '../document/document';
import { type Node } from '../yaml/node';
import { betweenCalls, tasksOf, writesOfActions, writesOfTask } from './parts';

/** Iterations of a parallel loop that may leave different values in one key of `ctx` fail the loop (D19). */
export function checkParallelWrites(document: Document, report: Report): void {
  for (const step of document.steps) {
    if (step.loop?.mode !== 'parallel' || isOneAtATime(step.loop.maxInFlight)) continue;
    for (const write of writesOfIteration(step)) {
      if (write.scope !== 'ctx' || !varies(write.value)) continue;
      const name = write.path.join('.');
      report.add(
        'NT3022',
        write.at,
        `iterations of the parallel loop \`${step.name}\` all write \`ctx.${name}\`, and the loop fails when their values differ`,
        `write \`iter.${name}\`, and read \`${step.name}.results\` after the loop`,
      );
    }
  }
}

/** What the step itself writes, it writes once, after the loop. */
function writesOfIteration(step: StepDoc): Write[] {
  const rules = (step.case?.rules ?? []).filter(({ moment }) =>
    ['call', 'iteration', 'any'].includes(moment),
  );
  const actions = [...rules.flatMap((rule) => rule.actions), ...tasksOf(step).flatMap(betweenCalls)];
  return [...tasksOf(step).flatMap(writesOfTask), ...writesOfActions(actions)];
}

function isOneAtATime(maxInFlight: Node | undefined): boolean {
  return maxInFlight?.kind === 'scalar' && Number(maxInFlight.value) === 1;
}

/** False for what is the same in every iteration: constants, and the workload. */
function varies(value: Node): boolean {
  if (value.kind === 'list') return value.items.some(varies);
  if (value.kind === 'map') return value.entries.some((each) => varies(each.value));
  const text = String(value.value);
  return text.includes('{{') && !/^\s*\{\{\s*workload[\w.]*\s*\}\}\s*$/.test(text);
}
