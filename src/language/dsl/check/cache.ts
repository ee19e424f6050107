/** `spec.cache` where it cannot apply. */
import { ENGINE_KINDS } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { type Document, type StepDoc, type TaskDoc } from '../document/document';
import { toolKind } from '../kinds';
import { type MapEntry, entry, type MapNode, presentValue } from '../yaml/node';
import { tasksOf } from './parts';

/** Whether results of the task may be taken by others. */
export function isCacheable(task: TaskDoc, document: Document): boolean {
  return whyNot(task, document) === undefined;
}

function whyNot({ kind, spec }: TaskDoc, { extensions }: Document): string | undefined {
  if (kind === 'workbook' || ENGINE_KINDS.has(kind))
    return `\`${kind}\` runs no tool whose result could be kept`;
  const why = toolKind(kind, extensions)?.uncached;
  if (why !== undefined) return `\`${kind}\` ${why}`;
  return presentValue(spec, 'sensitive') === undefined ? undefined : 'its result has `sensitive` values';
}

/** Written at a task that has no results to keep, or at a step or loop of such tasks only. */
export function checkCache(document: Document, report: Report): void {
  for (const step of document.steps) {
    for (const task of tasksOf(step)) {
      const own = written(task.spec);
      const why = step.asides.includes(task) ? 'a sink only writes' : whyNot(task, document);
      if (own && why !== undefined) tell(own, why, report);
    }
    if (step.tasks.some((task) => hasCacheable(task, document))) continue;
    for (const own of [written(step.spec), written(step.loop?.spec)])
      if (own) tell(own, reasonOf(step, document), report);
  }
}

function hasCacheable(task: TaskDoc, document: Document): boolean {
  return isCacheable(task, document) || (task.body ?? []).some((one) => hasCacheable(one, document));
}

function reasonOf({ tasks: [first] }: StepDoc, document: Document): string {
  return (first && whyNot(first, document)) ?? 'the step has no tool';
}

function written(spec: MapNode | undefined): MapEntry | undefined {
  const own = entry(spec, 'cache');
  if (own?.value.kind === 'scalar' && own.value.value !== true) return undefined;
  return own;
}

function tell(own: MapEntry, why: string, report: Report): void {
  report.add('NT2058', own.at, `nothing can be cached here: ${why}`, 'remove `cache`');
}
