import { Command } from 'commander';
import { later } from '../input/later';

export function compileCommand(): Command {
  return new Command('compile')
    .description('print the plan that a playbook compiles to')
    .argument('<playbook>', 'a file, or the metadata.path of a playbook below this folder')
    .option(
      '--strict',
      'treat deprecations, kinds that no worker serves, and Python that does not parse as errors',
    )
    .action(later(async () => (await import('../offline/compile.js')).printCompiled));
}
