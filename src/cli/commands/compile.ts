import { Command } from 'commander';

export function compileCommand(): Command {
  return new Command('compile')
    .description('print the Plan that a playbook compiles to')
    .argument('<playbook>', 'a file, or the metadata.path of a playbook below this folder')
    .option(
      '--strict',
      'make errors of deprecations, of kinds that nobody serves, and of Python that does not parse',
    )
    .option(
      '--format <format>',
      'json: the Plan; yaml: the playbook it stands for, in the current spelling',
      'json',
    )
    .action(async (playbook: string, flags: { strict?: boolean; format: string }) => {
      const { printCompiled } = await import('../offline/compile.js');
      await printCompiled(playbook, flags);
    });
}
