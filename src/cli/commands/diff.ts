import { Command } from 'commander';
import { later } from '../input/later';
import { atServerOption, formatOption } from '../input/options';

/** `diff A B`: the differences between two executions. */
export function diffCommand(): Command {
  return new Command('diff')
    .description('compare two executions: inputs, outcomes, decisions, variables, timing')
    .argument('<a>', 'an execution id, or a history file')
    .argument('<b>', 'another one')
    .addOption(formatOption())
    .option('--data <folder>', 'the data folder of the runs')
    .addOption(atServerOption())
    .action(later(async () => (await import('../runtime/diff-runs.js')).diffRuns));
}
