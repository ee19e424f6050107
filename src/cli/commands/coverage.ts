import { Command } from 'commander';
import { later } from '../input/later';
import { jsonOption, storageOption } from '../input/options';

/** `coverage FILE`: what rehearsals or past executions touch of a playbook. */
export function coverageCommand(): Command {
  return new Command('coverage')
    .description(
      'show which arcs, rules and error paths of a playbook are touched by rehearsals or past executions',
    )
    .argument('<playbook>', 'a file, or the metadata.path of a playbook below this folder')
    .option('--rehearsals [files...]', 'these rehearsals (default: the file beside the playbook)')
    .option('--histories <files...>', 'history files, or folders of them')
    .option('--against <filters>', "executions in Temporal: 'path=etl/load status=completed since=30d'")
    .addOption(jsonOption())
    .option('--data <folder>', 'the data folder of the runs')
    .addOption(storageOption())
    .action(later(async () => (await import('../runtime/cover-playbook.js')).coverPlaybook));
}
