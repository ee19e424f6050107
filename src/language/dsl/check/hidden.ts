import { type CheckFinding } from './finding';
import { type Names } from './names';
import { type TemplatePlace } from './place';

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
function ownerOf(root: string, { step, task, loops = [] }: TemplatePlace, names: Names): string | undefined {
  const own = step === undefined ? undefined : names.ofStep.get(step.name);
  if ([step?.loop, ...loops].some((loop) => loop?.iterator === root)) return 'iterator';
  if (own?.inputs.has(root) || task?.inputs.some(({ key }) => key === root)) return 'input';
  if (own?.locals.has(root) || own?.iter.has(root) || names.ctx.has(root)) return 'variable';
  if (own?.tasks.has(root)) return 'task';
  if (names.steps.has(root)) return 'step';
  return names.workload.has(root) ? 'workload key' : undefined;
}
