import { Command } from 'commander';
import { later } from '../input/later';
import { sandboxOption } from '../input/options';

export function testCommand(): Command {
  return new Command('test')
    .description('rehearse playbooks without a server: their logic, with mocked tasks and simulated time')
    .argument('[files...]', 'rehearsal files, or folders with *.rehearsal.yaml below')
    .option('--format <format>', 'text, json, junit, github', 'text')
    .addOption(sandboxOption())
    .option('--init <playbook>', 'write a first rehearsal of the playbook beside it')
    .action(later(async () => (await import('../offline/test.js')).rehearseFiles));
}
