import { pythonSyntax } from '../../../activities/kinds/python/syntax';
import { printPlan } from '../../language/dsl/upgrade';
import { UsageError } from '../errors';
import { loadPlaybook, tellDiagnostics } from '../input/playbook';
import { print } from '../output/say';

/** `compile FILE`: prints the Plan, the input of the workflow, or with YAML output the expanded playbook. */
export async function printCompiled(
  playbook: string,
  flags: { strict?: boolean; format: string },
): Promise<void> {
  if (flags.format !== 'json' && flags.format !== 'yaml') {
    throw new UsageError(`--format ${flags.format}: expected json or yaml`);
  }
  const compiled = loadPlaybook(playbook, { strict: flags.strict });
  const { plan, code = [] } = compiled;
  tellDiagnostics(await pythonSyntax(code), compiled);
  await print(flags.format === 'yaml' ? printPlan(plan) : JSON.stringify(plan, null, 2));
}
