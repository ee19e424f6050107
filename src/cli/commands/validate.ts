import { Command } from 'commander';
import { type Flags } from '../offline/validate';

export function validateCommand(): Command {
  return new Command('validate')
    .description('check playbooks without running them')
    .argument('<files...>', 'playbook files, folders of them, or - for standard input')
    .option(
      '--strict',
      'make errors of deprecations, of kinds that nobody serves, and of Python that does not parse',
    )
    .option('--catalog <folders...>', 'where sub-playbooks are, beside the files themselves')
    .option('--format <format>', 'text, json, sarif', 'text')
    .action(async (files: string[], flags: Flags) => {
      const { validateFiles } = await import('../offline/validate.js');
      await validateFiles(files, flags);
    });
}
