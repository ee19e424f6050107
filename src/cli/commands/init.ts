import { Command } from 'commander';
import { later } from '../input/later';

export function initCommand(): Command {
  return new Command('init')
    .description(
      'write a folder to begin with: a playbook, its rehearsals, a CI workflow, settings for editors',
    )
    .argument('[folder]', 'where (default: this folder)')
    .option('--template <name>', 'what the playbook does (--list shows all)', 'hello')
    .option('--list', 'list the templates')
    .option('--force', 'replace files that are there already')
    .action(later(async () => (await import('../offline/init.js')).initFolder));
}
