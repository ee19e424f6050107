import { Command } from 'commander';
import { later } from '../input/later';

export function validateCommand(): Command {
  return new Command('validate')
    .description('check playbooks without running them')
    .argument('<files...>', 'playbook files, folders of them, or - for standard input')
    .option(
      '--strict',
      'treat deprecations, kinds that no worker serves, and Python that does not parse as errors',
    )
    .option('--catalog <folders...>', 'folders with sub-playbooks, in addition to the files')
    .option('--fix', 'make the fixes of what is found, where there is one right answer')
    .option('--fix-dry-run', 'show what --fix would change')
    .option('--format <format>', 'text, json, sarif, github', 'text')
    .action(later(async () => (await import('../offline/validate.js')).validateFiles));
}
