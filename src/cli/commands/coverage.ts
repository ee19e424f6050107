import { Command } from 'commander';
import { later } from '../input/later';
import { storageOption } from '../input/options';

/** `coverage FILES`: what rehearsals or past executions touch of playbooks. */
export function coverageCommand(): Command {
  return new Command('coverage')
    .description(
      'show which arcs, rules and error paths of playbooks are touched by rehearsals or past executions',
    )
    .argument('<playbooks...>', 'files, folders, or the metadata.path of a playbook below this folder')
    .option('--rehearsals [files...]', 'these rehearsals (default: the file beside the playbook)')
    .option('--histories <files...>', 'history files, or folders of them')
    .option('--against <filters>', "executions in Temporal: 'path=etl/load status=completed since=30d'")
    .option('--format <format>', 'text, json, github', 'text')
    .option('--json', 'as --format json')
    .option('--at-least <percent>', 'fail if less of a playbook is touched')
    .option('--data <folder>', 'the data folder of the runs')
    .addOption(storageOption())
    .action(later(async () => (await import('../runtime/cover-playbooks.js')).coverPlaybooks));
}
