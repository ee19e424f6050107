import { Command } from 'commander';
import { type Flags } from '../offline/validate';

export function validateCommand(): Command {
  return new Command('validate')
    .description('check playbooks without running them')
    .argument('<files...>', 'playbook files, folders of them, or - for standard input')
    .option(
      '--strict',
      'treat deprecations, kinds that no worker serves, and Python that does not parse as errors',
    )
    .option('--catalog <folders...>', 'folders with sub-playbooks, in addition to the files')
    .option('--format <format>', 'text, json, sarif', 'text')
    .action(async (files: string[], flags: Flags) => {
      const { validateFiles } = await import('../offline/validate.js');
      await validateFiles(files, flags);
    });
}
