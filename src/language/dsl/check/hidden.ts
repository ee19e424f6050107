import { type StepDoc } from '../document/document';
import { type CheckFinding } from './finding';
import { type Names } from './names';
import { writesInside } from './parts';
import { OUTSIDE_ITERATIONS, type TemplatePlace } from './place';

/** A root in scope takes precedence over the playbook's own name. */
export function hiddenName(root: string, place: TemplatePlace, names: Names): CheckFinding | undefined {
  const what = ownerOf(root, place, names);
  if (what === undefined) return undefined;
  return {
    code: 'NT3010',
    message: `\`${root}\` is a name of the runtime here, and hides the ${what} of that name`,
    hint: `rename the ${what}, if that is the one you mean`,
  };
}

/** The playbook's definition of the name, if templates of the place could use it. */
function ownerOf(
  root: string,
  { kind, step, task, loops = [] }: TemplatePlace,
  names: Names,
): string | undefined {
  const own = step === undefined ? undefined : names.ofStep.get(step.name);
  if ([step?.loop, ...loops].some((loop) => loop?.iterator === root)) return 'iterator';
  if (own?.inputs.has(root) || task?.inputs.some(({ key }) => key === root)) return 'input';
  const isWritten = step !== undefined && writtenBy(step, root, OUTSIDE_ITERATIONS.has(kind));
  if (isWritten || names.ctx.has(root)) return 'variable';
  if (own?.tasks.has(root)) return 'task';
  if (names.steps.has(root)) return 'step';
  return names.workload.has(root) ? 'workload key' : undefined;
}

/** Whether the author of a step writes a variable of it; variables of iterations have no value outside of them. */
function writtenBy(step: StepDoc, name: string, isOutside: boolean): boolean {
  const own = { ...step, tasks: step.tasks.filter(({ generated }) => !generated) };
  return writesInside(own).some(
    ({ scope, path }) => path[0] === name && (scope === 'local' || (scope === 'iter' && !isOutside)),
  );
}
