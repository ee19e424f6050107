import { Command } from 'commander';
import { later } from '../input/later';

export function upgradeCommand(): Command {
  return new Command('upgrade')
    .description('rewrite a playbook in the current syntax; prints the changes as a unified diff')
    .argument('<file>', 'a playbook file')
    .option('--write', 'change the file instead of printing the diff')
    .action(later(async () => (await import('../offline/upgrade.js')).upgradeFile));
}
