import { type Report } from '../diagnostics/diagnostic';
import { type Document, type LoopDoc, type StepDoc, type Write } from '../document/document';
import { type YamlNode } from '../yaml/node';
import { betweenCalls, tasksOf, withBody, writesOfActions, writesOfTask } from './parts';

/** A parallel loop fails if its iterations leave different values in one key of `ctx`. */
export function checkParallelWrites(document: Document, report: Report): void {
  for (const step of document.steps) {
    if (step.loop !== undefined) checkLoop(step.loop, writesOfIteration(step), step.name, report);
    for (const task of tasksOf(step)) {
      if (task.loop === undefined) continue;
      checkLoop(task.loop, (task.body ?? []).flatMap(withBody).flatMap(writesOfTask), task.name, report);
    }
  }
}

function checkLoop(loop: LoopDoc, writes: readonly Write[], name: string, report: Report): void {
  if (isSequential(loop)) return;
  for (const write of writes) {
    if (write.scope !== 'ctx' || !varies(write.value)) continue;
    const key = write.path.join('.');
    report.add(
      'NT3022',
      write.at,
      `iterations of the parallel loop \`${name}\` all write \`ctx.${key}\`, and the loop fails when their values differ`,
      `write \`iter.${key}\`, and read \`${name}.results\` after the loop`,
    );
  }
}

/** The step's own writes happen once, after the loop. */
function writesOfIteration(step: StepDoc): Write[] {
  const rules = (step.case?.rules ?? []).filter(({ moment }) =>
    ['call', 'iteration', 'any'].includes(moment),
  );
  const actions = [...rules.flatMap((rule) => rule.actions), ...tasksOf(step).flatMap(betweenCalls)];
  return [...tasksOf(step).flatMap(writesOfTask), ...writesOfActions(actions)];
}

function isSequential({ mode, maxInFlight, cursor }: LoopDoc): boolean {
  if (mode !== 'cursor') return mode === 'sequential' || isOneAtATime(maxInFlight);
  const rows = cursor!.frame.find(({ key }) => key === 'row_concurrency')?.value;
  return [maxInFlight, rows].every((each) => each === undefined || isOneAtATime(each));
}

function isOneAtATime(maxInFlight: YamlNode | undefined): boolean {
  return maxInFlight?.kind === 'scalar' && Number(maxInFlight.value) === 1;
}

/** False for values equal in every iteration: constants, and the workload. */
function varies(value: YamlNode): boolean {
  if (value.kind === 'list') return value.items.some(varies);
  if (value.kind === 'map') return value.entries.some((each) => varies(each.value));
  const text = String(value.value);
  return text.includes('{{') && !/^\s*\{\{\s*workload[\w.]*\s*\}\}\s*$/.test(text);
}
