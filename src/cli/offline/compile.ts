import { pythonSyntax } from '../../../activities/kinds/python/syntax';
import { loadPlaybook, tellDiagnostics } from '../input/playbook';
import { print } from '../output/say';

/** `compile FILE`: prints the Plan, the input of the workflow. */
export async function printCompiled(playbook: string, flags: { strict?: boolean }): Promise<void> {
  const compiled = loadPlaybook(playbook, { strict: flags.strict });
  const { plan, code = [] } = compiled;
  tellDiagnostics(await pythonSyntax(code), compiled);
  await print(JSON.stringify(plan, null, 2));
}
