import { pythonSyntax } from '../../../activities/kinds/python/syntax';
import { printPlan } from '../../dsl/upgrade';
import { UsageError } from '../errors';
import { loadPlaybook, tell } from '../input/playbook';
import { wantsColor } from '../output/paint';
import { print } from '../output/say';

/** `compile FILE`: prints the Plan, the input of the workflow, or with YAML output the expanded playbook. */
export async function printCompiled(
  playbook: string,
  flags: { strict?: boolean; format: string },
): Promise<void> {
  if (flags.format !== 'json' && flags.format !== 'yaml') {
    throw new UsageError(`--format ${flags.format}: expected json or yaml`);
  }
  const telling = {
    color: wantsColor(process.stderr),
    write: (text: string) => void process.stderr.write(text),
  };
  const compiled = loadPlaybook(playbook, { strict: flags.strict, ...telling });
  const { plan, code = [] } = compiled;
  tell(await pythonSyntax(code), compiled, telling);
  await print(flags.format === 'yaml' ? printPlan(plan) : JSON.stringify(plan, null, 2));
}
