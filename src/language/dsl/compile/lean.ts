/**
 * Decides which tasks are recorded lean: history omits the parts of their results that nothing in the playbook reads,
 * such as response headers, and what Temporal itself records about a task. A result that is passed on as a whole counts
 * as read.
 */
import { declarationOf, groupBy, type StepPlan, type TaskPlan } from '../../plan';
import { type TemplateReference, references } from '../../template';
import { templatesIn } from './reads';

/**
 * How a name refers to a result: envelope first, payload first, as the payload, as the bare result, as a loop's list.
 */
type View = 'envelope' | 'task' | 'payload' | 'result' | 'loop';

/** Names of the current call. */
export const HERE: Readonly<Record<string, View>> = {
  output: 'envelope',
  outcome: 'envelope',
  this: 'envelope',
  response: 'task',
  result: 'payload',
  page: 'payload',
  data: 'payload',
  _prev: 'result',
};

/** Details that every kind has. */
const OF_THE_ENVELOPE = ['http', 'headers', 'metadata', 'meta'];

/** The steps, with their lean tasks marked. */
export function markLean(steps: readonly StepPlan[]): readonly StepPlan[] {
  const tasks = steps.flatMap((step) => step.tasks);
  if (tasks.some(({ needsContext }) => needsContext)) return steps;
  const details = new Set([
    ...OF_THE_ENVELOPE,
    ...tasks.flatMap(({ kind }) => declarationOf(kind)?.details ?? []),
  ]);
  const own = new Map(steps.map((step) => [step, readsIn(step)]));
  const byRoot = groupBy([...own.values()].flat(), ({ root }) => root);
  const isRead = (reads: readonly TemplateReference[], view: View): boolean =>
    reads.some(
      ({ path, dynamic }) => dynamic || path.some((key) => details.has(String(key))) || isWhole(path, view),
    );
  return steps.map((step) => {
    const here = own.get(step)!.filter(({ root }) => Object.hasOwn(HERE, root));
    const asRoot = step.loop ? () => 'loop' as const : (root: string) => HERE[root]!;
    const named = byRoot.get(step.name) ?? [];
    if (
      mayBeTheResult(step) ||
      here.some((read) => isRead([read], asRoot(read.root))) ||
      isRead(named, step.loop ? 'loop' : 'task')
    ) {
      return step;
    }
    const lean = (task: TaskPlan): TaskPlan =>
      task.body || isRead(byRoot.get(task.name) ?? [], 'task') ? task : { ...task, lean: true };
    return { ...step, tasks: step.tasks.map(lean), ...(step.sinks && { sinks: step.sinks.map(lean) }) };
  });
}

/** What the templates of a step read by name. */
export function readsIn(step: StepPlan): TemplateReference[] {
  return templatesIn(step)
    .flatMap((template) => references(template))
    .filter(({ kind }) => kind === 'name' || kind === 'call');
}

/** Whether the path ends at the whole result. */
function isWhole([key, ...rest]: TemplateReference['path'], view: View): boolean {
  if (view === 'payload') return false;
  if (key === undefined) return true;
  switch (view) {
    case 'envelope':
      return (key === 'data' || key === 'result') && isWhole(rest, 'result');
    case 'task':
      if (key === 'results') return rest.length < 2 || isWhole(rest.slice(1), 'task');
      return key === 'result' && isWhole(rest, 'result');
    case 'result':
      return key === 'result' && isWhole(rest, 'result');
    case 'loop':
      if (typeof key === 'number') return isWhole(rest, 'result');
      return ['results', 'data', 'result'].includes(key) && isWhole(rest, 'loop');
  }
}

/** Whether a token may end after the step: then its result may be that of the execution. */
function mayBeTheResult({ name, router }: StepPlan): boolean {
  const arcs = router?.arcs ?? [];
  const goesOn = arcs.some(
    ({ step, when, rule }) => step !== null && when === undefined && rule === undefined,
  );
  return name === 'end' || !goesOn || arcs.some(({ step }) => step === null);
}
