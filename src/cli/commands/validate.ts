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
    .option('--format <format>', 'text, json, sarif', 'text')
    .action(later(async () => (await import('../offline/validate.js')).validateFiles));
}
