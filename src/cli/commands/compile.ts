import { Command } from 'commander';
import { loadPlaybook } from '../input/playbook';
import { wantsColor } from '../output/paint';
import { print } from '../output/say';

/** `compile FILE`: print the Plan, the input of the workflow. */
export function compileCommand(): Command {
  return new Command('compile')
    .description('print the Plan that a playbook compiles to, as JSON')
    .argument('<playbook>', 'a file, or the metadata.path of a playbook below this folder')
    .option('--strict', 'make every deprecation an error')
    .action(async (playbook: string, flags: { strict?: boolean }) => {
      const { plan } = loadPlaybook(playbook, {
        strict: flags.strict,
        color: wantsColor(process.stderr),
        write: (text) => void process.stderr.write(text),
      });
      await print(JSON.stringify(plan, null, 2));
    });
}
